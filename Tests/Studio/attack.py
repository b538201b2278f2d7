"""A page from another origin that tries to access `bridge studio` in the same browser."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from browser import wait

# Each attempt stores its result, and the title contains all results at the end. These are all kinds of attempts that a
# page from another origin can make.
PAGE = """<!DOCTYPE html><title>waiting</title><body><script>
const target = %s, results = {};
const done = (name, result) => {
  results[name] = result;
  if (Object.keys(results).length === 5) document.title = JSON.stringify(results);
};
fetch(target, { credentials: "include" }).then((r) => r.text()).then(() => done("read", "reached"), () => done("read", "refused"));
fetch(target + "model.js", { mode: "no-cors", credentials: "include", method: "POST", body: '{"type":"stop"}' })
  .then(() => done("fetch", "reached"), () => done("fetch", "refused"));
const frame = document.createElement("iframe");
frame.src = target;
frame.onload = () => {
  let inside = null;
  try { inside = frame.contentDocument.title; } catch { }
  done("frame", inside ? "reached" : "refused");
};
document.body.append(frame);
const script = document.createElement("script");
script.src = target + "socket.js";
script.onload = () => done("script", "reached");
script.onerror = () => done("script", "refused");
document.body.append(script);
const socket = new WebSocket(target.replace("http", "ws") + "live");
socket.onopen = () => {
  socket.send('{"type":"play","from":0,"to":null,"loop":true,"rate":1,"gain":1}');
  done("socket", "reached");
};
socket.onerror = () => { if (!results.socket) done("socket", "refused"); };
</script>"""


class ForeignPage:
    """A server of the attacking page, on a separate port."""

    def __init__(self, url):
        page = (PAGE % json.dumps(url.split("?")[0])).encode()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(page)

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def attempts(self, driver):
        """Opens the page. Returns the results of the attempts."""
        driver.get(f"http://127.0.0.1:{self.server.server_port}/")
        wait(lambda: driver.title.startswith("{"), "the end of the attempts")
        return json.loads(driver.title)
