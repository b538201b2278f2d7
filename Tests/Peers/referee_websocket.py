"""Tests the page's server with Autobahn's test suite for WebSockets. For Python 2.7.

referee_websocket.py PAGE_ECHO FOLDER_OF_THE_REPORT
"""

import json
import os
import sys
import warnings

warnings.simplefilter("ignore")

from autobahntestsuite.fuzzing import FuzzingClientFactory
from twisted.internet import reactor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from echo import Echo

# The server accepts only text, refuses messages of more than 8 MiB and does not compress. The cases for binary
# messages, messages of 16 MiB and compression are therefore left out; the server's own tests cover them.
BINARY = ["1.2.*", "5.18", "9.2.*", "9.4.*", "9.6.*", "9.8.*"]
TOO_LARGE = ["9.1.6", "9.3.9"]
COMPRESSED = ["12.*", "13.*"]

server = Echo(os.path.abspath(sys.argv[1]))
report = os.path.abspath(sys.argv[2])


class Client(FuzzingClientFactory):
    """The client of the suite, which connects like a browser that the server has already admitted."""

    def setSessionParameters(self, *arguments, **parameters):
        # The suite passes named parameters, which the constructor of the base class does not support.
        if parameters:
            parameters["headers"] = {u"Cookie": server.cookie}
        FuzzingClientFactory.setSessionParameters(self, *arguments, **parameters)


Client({
    "outdir": report,
    "servers": [{"agent": u"bridge", "url": server.socket, "origin": server.origin}],
    "cases": ["*"],
    "exclude-cases": BINARY + TOO_LARGE + COMPRESSED,
    "exclude-agent-cases": {},
})
reactor.run()
server.end()

with open(os.path.join(report, "index.json")) as file:
    results = json.load(file)["bridge"]
good = ("OK", "NON-STRICT", "INFORMATIONAL")
bad = sorted(
    case for case, result in results.items()
    if result["behavior"] not in good or result["behaviorClose"] not in good)
for case in bad:
    print("autobahn %s: %s, closing %s" % (
        case, results[case]["behavior"], results[case]["behaviorClose"]))
strict = sum(result["behavior"] == "OK" for result in results.values())
print("autobahn: %d cases, %d of them strictly" % (len(results), strict))
sys.exit(1 if bad or len(results) < 200 else 0)
