"""Runs a page in headless Chromium, and receives the result that the page reports."""

import functools
import http.server
import json
import subprocess
import tempfile
import threading


class Pages(http.server.SimpleHTTPRequestHandler):
    """A server that serves a folder and receives the report of its page by POST."""

    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript"}

    def __init__(self, report, *arguments, **options):
        self.report = report
        super().__init__(*arguments, **options)

    def do_POST(self):
        self.report(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def report_of(path, folder, port, timeout=150):
    """Opens the page at a path in a folder. Returns the JSON that the page reports, or None if there is no report."""
    reports, is_done = [], threading.Event()

    def report(result):
        reports.append(result)
        is_done.set()

    handler = functools.partial(Pages, report, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server, \
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             f"--user-data-dir={profile}", f"http://127.0.0.1:{port}/{path}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        is_done.wait(timeout)
        browser.terminate()
        browser.wait()
        server.shutdown()
    return reports[0] if reports else None
