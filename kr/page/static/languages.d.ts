// The texts of a language, made of kr/language/CODE.json, and the names of all languages by their codes.

declare module "*/languages/en.js" {
  const texts: Record<string, string>;
  export default texts;
}

declare module "*/language-names.js" {
  const names: Record<string, string>;
  export default names;
}
