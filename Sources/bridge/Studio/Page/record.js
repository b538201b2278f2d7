// record.js: a part of the page.
