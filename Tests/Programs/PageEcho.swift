// The page echo: a LocalWebServer for clients in other languages.

import BridgeLive
import Foundation

/// Sends each message of a page back, until the program that has started this one closes its input.
func echoPages() throws {
    let page = Array("<!doctype html><title>Echo</title>".utf8)
    let server = try LocalWebServer(
        files: ["index.html": page], onOpen: { _ in }, onMessage: { $0.send($1) },
        onClose: { _ in })
    FileHandle.standardOutput.write(Data((server.url + "\n").utf8))
    while readLine() != nil {}
    server.close()
}
