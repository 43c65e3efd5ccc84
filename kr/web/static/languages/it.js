// Texts in Italian, by the English ones.

export const texts = {};
