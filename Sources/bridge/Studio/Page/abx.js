// abx.js: a part of the page.
