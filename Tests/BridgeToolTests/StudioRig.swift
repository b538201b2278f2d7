// StudioRig: `bridge studio` with a page in the same process, for suites with the trait
// `.virtualTime`.

import Foundation
import LocalServers
import SerialPorts
import TestSupport
import ToolSupport

@testable import Studio
@testable import bridge

/// A running studio and one of its pages.
final class StudioRig {
    let folder = Folder()
    let tool: RunningTool
    let page: InMemoryPage

    /// - Parameters:
    ///   - file: the text of `a.ahap`, which is open.
    ///   - port: the port of the board; nil for a virtual board.
    ///   - options: further options of the studio.
    ///   - locality: the locality at which the studio plays; nil for the board's default.
    ///   - state: the user's folder for stored states; nil for a writable folder.
    init(
        _ file: String, port: String? = nil, options: [String] = [], locality: String? = nil,
        settings: String? = nil,
        state: String? = nil
    ) throws {
        let path = try folder.write("a.ahap", file)
        var environment: [String: String] = [:]
        environment["XDG_STATE_HOME"] = state
        if let settings {
            let path = folder.url.appendingPathComponent("haptic-bridge")
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
            try Data(settings.utf8).write(to: path.appendingPathComponent("settings.json"))
            environment["XDG_CONFIG_HOME"] = folder.url.path
        }
        let inMemory = InMemoryPage()
        page = inMemory
        tool = try RunningTool(
            Tool.executable("bridge"),
            ["studio", "--no-browser", path] + (port.map { ["--port", $0] } ?? ["--virtual"])
                + (locality.map { ["--locality", $0] } ?? []) + options,
            environment: environment,
            entry: .init(
                run: { arguments in
                    Bridge.run(arguments) { command in
                        guard let studio = command as? Studio else { return }
                        try studio.run { inMemory.open($0) }
                    }
                }, signal: { Interruption.record($0) }))
        guard wait(until: { tool.output.contains("\n") || !tool.isRunning }) else {
            throw InMemoryPage.Failure()
        }
    }

    deinit {
        tool.signal(SIGTERM)
        _ = tool.outcome()
    }

    /// Waits until the board is connected, so that the studio plays patterns on the board.
    func awaitBoard() {
        _ = page.next("board") { $0["felt"] as? Bool == true }
    }

    /// Sends an edit that replaces a value of the entry at an index.
    func edit(
        _ revision: Int, _ path: String, _ value: String, isLive: Bool = false, index: Int = 0
    ) {
        page.send(
            request: #"{"type":"edit","revision":\#(revision),"live":\#(isLive),"edits":["#
                + #"{"op":"replace","path":"/Pattern/\#(index)/\#(path)","value":\#(value)}]}"#)
    }

    var text: String { folder.text("a.ahap") }
}

/// A page that runs in the process of the studio and exchanges messages with the studio as over a
/// WebSocket.
final class InMemoryPage: PageOutlet {
    /// The error that is thrown if the studio has not started.
    struct Failure: Error {}

    /// A message from the studio.
    typealias Message = [String: Any]

    private struct State {
        var inbox: StudioInbox?
        var waiting: [String] = []
        var isClosed = false
    }

    private let state = LockedValue(State())

    private var page: PageConnection { PageConnection(id: 1, outlet: self) }

    /// Opens the page, as the studio's server does.
    func open(_ inbox: StudioInbox) -> Studio.Server {
        state.withLock { $0.inbox = inbox }
        inbox.post(.opened(page))
        return ("http://127.0.0.1/", { self.close() })
    }

    /// Loads the page again, as the user does.
    func reload() {
        guard let inbox = state.withLock({ $0.inbox }) else { return }
        inbox.post(.closed(page))
        inbox.post(.opened(page))
    }

    /// Sends text to the studio.
    func send(request text: String) {
        state.withLock { $0.inbox }?.post(.message(page, text))
    }

    /// Closes the page, as the user does.
    func leave() {
        state.withLock { $0.inbox }?.post(.closed(page))
        close()
    }

    func join(_ descriptor: Int32) {}

    /// Returns the next message from the studio; nil if the connection has ended, or no message
    /// arrives within a minute.
    func next() -> Message? {
        _ = wait { state.withLock { !$0.waiting.isEmpty || $0.isClosed } }
        return received()
    }

    /// Returns the next message that has already been received, or nil if no message has been
    /// received.
    func received() -> Message? {
        let text = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
        return text.flatMap {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? Message
        }
    }

    /// Skips messages up to the next message of a type, and returns that message, or nil if no
    /// message of this type has been received.
    func next(_ type: String, where isMeant: (Message) -> Bool = { _ in true }) -> Message? {
        while let message = next(anyOf: type) {
            if isMeant(message) { return message }
        }
        return nil
    }

    /// Skips messages up to the next message of any of the types, and returns that message, or nil
    /// if no message of these types has been received.
    func next(anyOf types: String...) -> Message? {
        while let message = next() {
            if let type = message["type"] as? String, types.contains(type) { return message }
        }
        return nil
    }

    // MARK: The page's end of the connection

    func send(_ text: String) { state.withLock { $0.waiting.append(text) } }

    func sendLatest(_ text: String, of kind: String) { send(text) }

    func close() { state.withLock { $0.isClosed = true } }
}
