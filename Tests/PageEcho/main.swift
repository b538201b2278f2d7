// page-echo: a LocalWebServer that sends each message back, for clients in other languages.

import BridgeLive
import Foundation

let page = Array("<!doctype html><title>Echo</title>".utf8)
let server = try LocalWebServer(
    files: ["index.html": page], onOpen: { _ in }, onMessage: { $0.send($1) }, onClose: { _ in })
FileHandle.standardOutput.write(Data((server.url + "\n").utf8))
// Until the program that has started it closes its input.
while readLine() != nil {}
server.close()
