#!/usr/bin/env python3
"""Tests both ends of the protocol against a second implementation, which is based only on the specification.

Prints a line for each check, and exits with 1 if a check fails.
"""

import itertools
import sys

import live
import real_host
import report
import specification
import vectors


def main():
    checks = itertools.chain(
        specification.checks(), vectors.checks(), live.host_checks(), real_host.bridge_checks()
    )
    sys.exit(1 if report.run(checks) else 0)


if __name__ == "__main__":
    main()
