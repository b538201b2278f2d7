// keys.js: a part of the page.
