// In place of kr/page/static/early.js: the board comes first.

export {};
