// model.js: a part of the page.
