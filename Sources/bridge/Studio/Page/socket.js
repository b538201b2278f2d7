// socket.js: a part of the page.
