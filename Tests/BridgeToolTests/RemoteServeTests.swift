// Tests of programs on other computers that use a board over TCP: the programs' permissions, and
// attacks.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport
import Testing

/// A board that is served over TCP, and the key that programs need.
private final class RemoteBoard {
    let board: LiveBoard
    let folder = Folder()
    let server: RunningTool
    let keyFile: String
    private(set) var path = ""

    init(settings: String = "{}") throws {
        board = try LiveBoard()
        keyFile = folder.path("key")
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("haptic-bridge"),
            withIntermediateDirectories: true)
        _ = try folder.write("haptic-bridge/settings.json", settings)
        server = try RunningTool(
            Tool.executable("bridge"),
            ["serve", "--json", "--port", board.port, "--tcp", "0", "--key-file", keyFile],
            environment: ["XDG_CONFIG_HOME": folder.url.path])
        #expect(wait { server.output.hasSuffix("}\n") || !server.isRunning })
        let line = try JSONSerialization.jsonObject(with: Data(server.output.utf8))
        path = try #require((line as? [String: Any])?["tcp"] as? String, "\(server.errors)")
    }

    deinit {
        server.signal(SIGINT)
        _ = server.outcome()
    }

    /// Runs a program as if it were on another computer, without a shared folder.
    func remote(
        _ arguments: [String], key: String? = nil, at path: String? = nil
    ) throws -> RunningTool {
        let home = folder.url.appendingPathComponent("elsewhere")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        return try RunningTool(
            Tool.executable("bridge"),
            arguments + ["--port", path ?? self.path, "--key-file", key ?? keyFile],
            environment: ["XDG_RUNTIME_DIR": home.path, "XDG_CONFIG_HOME": home.path])
    }

    func buzz(_ seconds: Double = 600) throws -> String {
        try folder.write("buzz.ahap", Samples.buzz(seconds: seconds))
    }

    /// Starts a pattern of ten minutes on the remote side, and returns once it drives the actuator.
    func playing(at path: String? = nil) throws -> RunningTool {
        let tool = try remote(["play", buzz()], at: path)
        #expect(wait { board.level > 0 || !tool.isRunning })
        #expect(board.level > 0, "\(tool.errors)")
        return tool
    }
}

/// A connection that sends arbitrary bytes.
private final class RawConnection {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    convenience init(to path: String) throws { self.init(try NetworkAddress(path).connect()) }

    deinit { close(descriptor) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) { _ = LocalAddress.send(bytes, to: descriptor) }

    /// Returns the bytes that are received within a given time, or nil if the other end has closed
    /// the connection.
    func receive(within seconds: Double) -> [UInt8]? {
        var request = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        guard hostClock.poll(&request, for: Microseconds(seconds * 1_000_000)) > 0 else {
            return []
        }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }

    private func elapsed(since start: HostTime) -> Double {
        Double(Link.now() - start) / 1_000_000
    }

    /// Reads until the other end closes the connection. Returns all bytes, and the elapsed time in
    /// seconds.
    func hearAll(within seconds: Double) -> (bytes: [UInt8], seconds: Double, isClosed: Bool) {
        let start = Link.now()
        var all: [UInt8] = []
        while elapsed(since: start) < seconds {
            guard let bytes = receive(within: 0.1) else {
                return (all, elapsed(since: start), true)
            }
            all += bytes
        }
        return (all, seconds, false)
    }
}

@Suite(.virtualTool) struct RemoteServeTests {
    @Test func aProgramElsewherePlaysAsksAndStops() throws {
        let remote = try RemoteBoard()
        let info = try remote.remote(["info", "--json"]).outcome()
        #expect(
            info.status == 0 && info.objects.first?["port"] as? String == remote.path, "\(info)")
        let play = try remote.remote(["play", "--json", remote.buzz(0.5)]).outcome()
        #expect(play.status == 0 && remote.board.hasDriven && remote.board.isAtRest, "\(play)")
        #expect(play.objects.first?["unfelt"] is NSNull)
        let tool = try remote.playing()
        let stop = try remote.remote(["stop"]).outcome()
        #expect(stop.status == 0 && remote.board.isAtRest, "\(stop)")
        #expect(tool.outcome().status == 0)
    }

    /// Checks a pattern that is longer than the time for which a program may be silent. While the
    /// program waits for the result, it sends only keep-alive messages.
    @Test func aPatternOfFiveHundredSecondsEndsWithItsResult() throws {
        let remote = try RemoteBoard()
        let play = try remote.remote(["play", "--json", remote.buzz(500)]).outcome(within: 600)
        #expect(play.status == 0 && remote.board.isAtRest, "\(play)")
        #expect(play.objects.last?["unfelt"] is NSNull, "\(play)")
    }

    @Test func aPatternOfManyThousandTapsIsPlayed() throws {
        let remote = try RemoteBoard()
        let file = try remote.folder.write("taps.ahap", Samples.taps(20_000, every: 5_000))
        let play = try remote.remote(["play", "--json", file]).outcome(within: 200)
        #expect(play.status == 0, "\(play)")
        #expect(remote.board.onsets(above: 0) == 20_000)
    }

    @Test func itSharesTheBoardWithOtherPrograms() throws {
        let remote = try RemoteBoard()
        let tool = try remote.playing()
        let own = try Tool.bridge("play", "--port", remote.board.port, remote.buzz(0.2))
        #expect(own.status == 0 && remote.board.level > 0, "\(own)")
        tool.signal(SIGINT)
        #expect(tool.outcome().wasEnded(by: SIGINT))
        #expect(wait { remote.board.isAtRest })
    }

    @Test(arguments: [
        ["calibrate"], ["actuator", "set", "VG1040003D"], ["diagnose"],
    ])
    func itNeverChangesTheBoard(verb: [String]) throws {
        let remote = try RemoteBoard()
        let outcome = try remote.remote(verb).outcome()
        #expect(outcome.status == 75 && outcome.errors.contains("another computer"), "\(outcome)")
        #expect(remote.server.isRunning && !remote.board.hasDriven)
    }

    @Test func itNeverSwitchesOnWhatTheUserHasOff() throws {
        let remote = try RemoteBoard(settings: #"{ "haptics": false }"#)
        let play = try remote.remote(["play", "--gain", "1", remote.buzz(0.5)]).outcome()
        #expect(play.status == 0 && !remote.board.hasDriven, "\(play)")
    }

    @Test func aServerThatEndsLeavesTheBoardAtRest() throws {
        let remote = try RemoteBoard()
        let tool = try remote.playing()
        remote.server.signal(SIGINT)
        #expect(remote.server.outcome().wasEnded(by: SIGINT))
        #expect(remote.board.isAtRest)
        #expect(tool.outcome().status != 0)
    }

    // MARK: Keys

    @Test func theKeyIsMadeForTheUserAlone() throws {
        let remote = try RemoteBoard()
        var status = stat()
        #expect(stat(remote.keyFile, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let key = remote.folder.text("key").trimmingCharacters(in: .newlines)
        #expect(key.count == 64 && key.allSatisfy(\.isHexDigit))
    }

    @Test func aWrongKeyIsRejectedAfterAWhile() throws {
        let remote = try RemoteBoard()
        let wrong = try remote.folder.write("wrong", String(repeating: "0", count: 64))
        chmod(wrong, 0o600)
        let start = Link.now()
        let play = try remote.remote(["play", remote.buzz(0.5)], key: wrong).outcome()
        #expect(
            play.status == 77 && play.errors.contains("differs from that of the program"), "\(play)"
        )
        #expect(Link.now() - start >= 1_000_000)
        let info = try remote.remote(["info"], key: wrong).outcome()
        #expect(info.status == 77, "\(info)")
        let none = remote.folder.path("none")
        for verb in [["play", try remote.buzz(0.5)], ["info"]] {
            let missing = try remote.remote(verb, key: none).outcome()
            #expect(missing.status == 66 && missing.errors.contains(none), "\(missing)")
        }
        #expect(!remote.board.hasDriven)
    }

    @Test func aProgramWithoutAKeyIsAskedForOne() throws {
        let remote = try RemoteBoard()
        let info = try Tool.bridge("info", "--port", remote.path)
        #expect(info.status != 0 && info.errors.contains("--key-file"), "\(info)")
    }

    @Test func aKeyFileThatIsNoneOrOpenToOthersIsRefused() throws {
        let remote = try RemoteBoard()
        let open = try remote.folder.write("open", String(repeating: "a", count: 64))
        chmod(open, 0o644)
        let short = try remote.folder.write("short", "abc")
        chmod(short, 0o600)
        for (file, reason) in [
            (open, "chmod 600"), (short, "64 hexadecimal"),
        ] {
            let info = try remote.remote(["info"], key: file).outcome()
            #expect(info.status == 65 && info.errors.contains(reason), "\(info)")
        }
    }

    // MARK: Attacks

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "\n", "\0\0\0\0\n", "a b\n",
        String(repeating: "0", count: 64) + " " + String(repeating: "0", count: 64) + "\n",
        String(repeating: "x", count: 100_000),
    ])
    func nonsenseIsTurnedAwayWithoutAWord(words: String) throws {
        let remote = try RemoteBoard()
        let connection = try RawConnection(to: remote.path)
        let greeting = try #require(connection.receive(within: 5))
        #expect(String(decoding: greeting, as: UTF8.self).hasPrefix("haptic-bridge 1 "))
        connection.send(words)
        let (bytes, seconds, isClosed) = connection.hearAll(within: 10)
        #expect(bytes.isEmpty && isClosed && seconds > 0.8, "\(bytes.count) bytes, \(seconds) s")
        #expect(try remote.remote(["info"]).outcome().status == 0)
    }

    @Test func whoDawdlesIsTurnedAwayAndHoldsNobodyUp() throws {
        let remote = try RemoteBoard()
        let slow = try RawConnection(to: remote.path)
        let start = Link.now()
        _ = slow.receive(within: 5)
        // Single bytes at intervals do not extend the timeout.
        var isClosed = false
        while !isClosed, Link.now() - start < 20_000_000 {
            slow.send("0")
            isClosed = slow.receive(within: 0.3) == nil
        }
        #expect(isClosed && Link.now() - start < 15_000_000)
        #expect(try remote.remote(["info"]).outcome().status == 0)
    }

    @Test func oneAddressHasFewConnectionsWithoutAProofAndKeepsNobodyOut() throws {
        let remote = try RemoteBoard()
        let connections = try (0..<40).map { _ in try RawConnection(to: remote.path) }
        // The server greets each connection, and keeps only the most recent connections.
        for connection in connections { #expect(connection.receive(within: 0.2)?.isEmpty == false) }
        let kept = connections.filter { $0.receive(within: 0.01) != nil }
        #expect(kept.count == 4)
        let info = try remote.remote(["info"]).outcome()
        #expect(info.status == 0, "\(info)")
        // Local programs are not affected.
        let own = try Tool.bridge("play", "--port", remote.board.port, remote.buzz(0.1))
        #expect(own.status == 0, "\(own)")
        withExtendedLifetime(connections) {}
    }

    @Test func anAddressWithOnlyWrongKeysHasToWaitAndIsInformed() throws {
        let remote = try RemoteBoard()
        let wrong = String(repeating: "00", count: 32)
        let connections = try (0..<4).map { _ in try RawConnection(to: remote.path) }
        for connection in connections {
            #expect(connection.receive(within: 0.2)?.isEmpty == false)
            connection.send("\(wrong) \(wrong)\n")
        }
        #expect(connections[0].receive(within: 0.2)?.isEmpty == true)
        let info = try remote.remote(["info"]).outcome()
        #expect(info.status == 75 && info.errors.contains("several wrong keys"), "\(info)")
        #expect(wait { connections.allSatisfy { $0.receive(within: 0.01) == nil } })
        #expect(try remote.remote(["info"]).outcome().status == 0)
    }

    @Test func nothingThatIsRepeatedOrChangedIsAccepted() throws {
        let remote = try RemoteBoard()
        let tap = try Wiretap(to: remote.path)
        let play = try remote.remote(["play", remote.buzz(0.3)], at: tap.path).outcome()
        #expect(play.status == 0 && remote.board.hasDriven, "\(play)")
        let said = tap.said
        tap.end()
        // The transmitted bytes contain the key neither as text nor as bytes.
        let digits = remote.folder.text("key").trimmingCharacters(in: .newlines)
        #expect(!String(decoding: said, as: UTF8.self).contains(digits))
        let before = remote.board.transactions.count
        let replay = try RawConnection(to: remote.path)
        _ = replay.receive(within: 5)
        replay.send(said)
        let heard = replay.hearAll(within: 10)
        #expect(heard.bytes.isEmpty && heard.isClosed)
        #expect(remote.board.transactions.count == before)
    }

    @Test func aMessageThatIsChangedOnTheWayEndsTheConnection() throws {
        let remote = try RemoteBoard()
        let tap = try Wiretap(to: remote.path)
        let tool = try remote.playing(at: tap.path)
        tap.damageNext()
        let outcome = tool.outcome()
        #expect(outcome.status != 0, "\(outcome)")
        #expect(wait(seconds: 2) { remote.board.isAtRest })
        #expect(remote.server.isRunning)
        tap.end()
    }
}

/// An attacker between two programs who reads the programs' messages and can change them.
private final class Wiretap: @unchecked Sendable {
    let path: String
    private let listener: Int32
    private let target: String
    private let lock = NSLock()
    private var state = (said: [UInt8](), mustDamage: false, isOver: false)

    init(to target: String) throws {
        self.target = target
        (listener, path) = try NetworkAddress.listen(at: "0")
        Thread(block: hostClock.body { self.run() }).start()
    }

    deinit { close(listener) }

    /// All bytes that the first client has sent.
    var said: [UInt8] { lock.withLock { state.said } }

    /// Inverts a bit of the next bytes from a client.
    func damageNext() { lock.withLock { state.mustDamage = true } }

    func end() {
        lock.withLock { state.isOver = true }
    }

    private var isToEnd: Bool { lock.withLock { state.isOver } }

    private func run() {
        var isFirst = true
        while !isToEnd {
            var request = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
            guard hostClock.poll(&request, for: 100_000) > 0 else { continue }
            let client = accept(listener, nil, nil)
            guard client >= 0 else { continue }
            let work = hostClock.body { [isFirst] in self.serve(RawConnection(client), isFirst) }
            Thread(block: work).start()
            isFirst = false
        }
    }

    private func serve(_ near: RawConnection, _ isFirst: Bool) {
        guard let far = try? RawConnection(to: target) else { return }
        while !isToEnd {
            guard let bytes = near.receive(within: 0.002) else { return }
            pass(bytes, to: far, isFirst)
            guard let answer = far.receive(within: 0.002) else { return }
            if !answer.isEmpty { near.send(answer) }
        }
    }

    private func pass(_ bytes: [UInt8], to far: RawConnection, _ isFirst: Bool) {
        guard !bytes.isEmpty else { return }
        var bytes = bytes
        lock.withLock {
            if isFirst { state.said += bytes }
            if state.mustDamage { bytes[bytes.count / 2] ^= 1 }
            state.mustDamage = false
        }
        far.send(bytes)
    }
}
