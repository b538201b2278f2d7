// library.js: a part of the page.
