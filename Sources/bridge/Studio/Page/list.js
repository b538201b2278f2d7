// list.js: a part of the page.
