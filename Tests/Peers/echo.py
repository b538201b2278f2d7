"""Starts `test-programs echo` for the tests. This module runs in Python 2.7 and 3."""

import subprocess

try:
    from urllib.request import HTTPRedirectHandler, build_opener, HTTPError
except ImportError:
    from urllib2 import HTTPRedirectHandler, build_opener, HTTPError


class _Stay(HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None


class Echo(object):
    """A server that returns each message to its sender. `socket` and `cookie` are the address and the cookie that a
    client must use."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            [program, "echo"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.url = self.process.stdout.readline().decode().strip()
        self.origin = self.url.split("/?")[0]
        try:
            build_opener(_Stay).open(self.url)
            raise SystemExit("the token was not exchanged for a cookie")
        except HTTPError as redirect:
            assert redirect.code == 303, redirect
            self.cookie = redirect.headers["Set-Cookie"].split(";")[0]
            key = redirect.headers["Location"].split("#")[1]
        self.socket = self.origin.replace("http", "ws") + "/live?key=" + key

    def end(self):
        self.process.stdin.close()
        assert self.process.wait() == 0
