// PageEcho: a LocalWebServer for tests of clients in other languages.

import Foundation
import LocalServers

/// Sends each message from a page back to the page until the standard input is closed.
func echoPages() throws {
    let page = Array("<!doctype html><title>Echo</title>".utf8)
    let server = try LocalWebServer(
        files: ["index.html": page], onOpen: { _ in }, onMessage: { $0.send($1) },
        onClose: { _ in })
    FileHandle.standardOutput.write(Data((server.url + "\n").utf8))
    while readLine() != nil {}
    server.close()
}
