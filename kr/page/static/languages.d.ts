// The texts of a language, made of kr/language/CODE.json.

declare module "*/languages/en.js" {
  const texts: Record<string, string>;
  export default texts;
}
