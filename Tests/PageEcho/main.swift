// page-echo: a LocalWebServer that returns each message to its sender, for clients in other
// languages.

import BridgeLive
import Foundation

let page = Array("<!doctype html><title>Echo</title>".utf8)
let server = try LocalWebServer(
    files: ["index.html": page], onOpen: { _ in }, onMessage: { $0.send($1) }, onClose: { _ in })
FileHandle.standardOutput.write(Data((server.url + "\n").utf8))
// Run until the parent program closes the standard input.
while readLine() != nil {}
server.close()
