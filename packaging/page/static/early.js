// In place of kr/web/static/early.js: the board comes first.

export {};
