// Tests of the connections to a served board: the number of connections, requests to release the
// board, and connections of unknown programs.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport
import Testing

@testable import BoardEngine
@testable import BoardSharing
@testable import HapticBoards
@testable import HapticBridge

@Suite(.virtualTool) struct ServedConnectionTests {
    /// Returns a connection to a server, after sending the first message.
    private func greeted(
        _ purpose: EngineMailbox.Purpose, at path: String
    ) throws -> MessageConnection {
        let line = MessageConnection(try #require(LocalSocket.connected(to: path)))
        try line.send(ClientMessage.hello(for: purpose))
        return line
    }

    /// Waits until a matching report is received.
    private func receives(_ line: MessageConnection, _ isMeant: (EngineReport) -> Bool) -> Bool {
        wait(seconds: 3) { ((try? line.reports()) ?? []).contains(where: isMeant) }
    }

    private func isClosed(_ socket: LocalSocket) -> Bool {
        if case .end = socket.read() { true } else { false }
    }

    /// Returns everything that the server sends until it closes the connection.
    private func reply(to messages: String..., at path: String) throws -> String {
        let socket = try #require(LocalSocket.connected(to: path))
        for message in messages {
            let length = UInt8(message.utf8.count)
            _ = socket.write([0, 0, 0, length] + Array(message.utf8))
        }
        var answer: [UInt8] = []
        #expect(
            wait(seconds: 5) {
                switch socket.read() {
                case .bytes(let bytes): answer += bytes
                case .nothing: break
                case .end: return true
                }
                return false
            })
        return String(decoding: answer, as: UTF8.self)
    }

    @Test func theSixtyFifthProgramReceivesTheNumberOfPrograms() throws {
        let shared = try SharedBoard()
        let server = try shared.server()
        let path = try shared.socket
        let lines = try (0..<64).map { _ in try greeted(.relay, at: path) }
        #expect(receives(lines[63]) { if case .connected = $0 { true } else { false } })
        let info = try shared.bridge("info")
        #expect(info.status == 75 && info.errors.contains("64 programs"), "\(info)")
        server.signal(SIGTERM)
        #expect(server.outcome().wasKilled)
    }

    // MARK: Releasing the board

    @Test func whoHasABoardReleasedFindsItsPortClosedHoweverLongThatTakes() throws {
        let shared = try SharedBoard()
        let port = shared.board.port
        let (meddling, hasEnded) = shared.meddling()
        try BoardServerClient.release(port: port)
        #expect(meddling.isClosed.withLock { $0 })
        #expect(wait { hasEnded.withLock { $0 } })
    }

    /// Checks a program that connects while the server brings all actuators to rest because another
    /// program needs the port.
    @Test func nobodyWhoComesDuringAReleaseKeepsThePort() throws {
        let shared = try SharedBoard()
        let (meddling, hasEnded) = shared.meddling()
        let path = try shared.socket
        let release = try greeted(.release, at: path)
        #expect(receives(release) { if case .connected = $0 { true } else { false } })
        let late = try greeted(.engine(.all), at: path)
        #expect(wait(seconds: 2) { hasEnded.withLock { $0 } })
        #expect(meddling.isClosed.withLock { $0 })
        _ = late
    }

    @Test func aServerLeavesTheSocketOfTheOneAfterIt() throws {
        let port = try SharedBoard().board.port
        let path = try RuntimeFolder().socket(ofPort: port)
        let before = try UnixListener(port: port)
        let after = try UnixListener(port: port)
        before.close()
        #expect(LocalSocket.connected(to: path) != nil)
        after.close()
        #expect(LocalSocket.connected(to: path) == nil)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aStartIsServedThatArrivesTogetherWithAReleaseThatIsRefused() throws {
        let shared = try SharedBoard()
        let server = try shared.server()
        try shared.holding()
        let path = try shared.socket
        let release = try greeted(.release, at: path)
        let play = try greeted(.engine(.all), at: path)
        #expect(receives(play) { if case .started = $0 { true } else { false } })
        _ = release
        server.signal(SIGTERM)
        #expect(server.outcome().wasKilled)
    }

    /// Virtual time would not advance if the server polled instead of waiting.
    @Test func aProgramThatDoesNotReadItsLastAnswerIsGivenUpAndCostsNothing() throws {
        let shared = try SharedBoard()
        let server = try shared.server()
        let path = try shared.socket
        let deaf = try greeted(.engine(.all), at: path)
        let silent = try #require(LocalSocket.connected(to: path))
        for _ in 0..<20_000 {
            try deaf.send(ClientMessage.alive())
            if deaf.hasBacklog { pause(1_000) }
        }
        try deaf.send(ClientMessage(.end))
        let isGivenUp = wait(seconds: 10) {
            try? deaf.send(ClientMessage.alive())
            return deaf.isBroken
        }
        #expect(isGivenUp)
        #expect(wait(seconds: 10) { isClosed(silent) }, "a silent connection is also closed")
        try shared.holding()
        server.signal(SIGTERM)
        #expect(server.outcome().wasKilled)
    }

    // MARK: The output

    /// Sends texts, and returns the answers of a given type.
    private func answers(
        _ texts: [String], of kind: ServerMessage.Kind, count: Int, on socket: LocalSocket
    ) throws -> [ServerMessage] {
        for text in texts {
            _ = socket.write([0, 0, 0, UInt8(text.utf8.count)] + Array(text.utf8))
        }
        let line = MessageConnection(socket)
        var found: [ServerMessage] = []
        #expect(
            wait(seconds: 3) {
                line.read()
                while let data = try? line.next(), let message = try? ServerMessage(reading: data) {
                    if message.kind == kind { found.append(message) }
                }
                return found.count >= count
            })
        return found
    }

    @Test func aProgramIsToldWhatItPlays() throws {
        let shared = try SharedBoard()
        let server = try shared.server()
        let socket = try #require(LocalSocket.connected(to: try shared.socket))
        let hello = #"{"type":"hello","version":3,"purpose":"play","output":true}"#
        _ = try answers([hello], of: .started, count: 1, on: socket)
        let level = #"{"type":"pattern","player":1,"events":[[1,0,-1,0.5,0.25]],"more":true}"#
        let query = #"{"type":"output"}"#
        let outputs = try answers(
            [
                query, level, #"{"type":"add","player":1,"more":true}"#,
                #"{"type":"start","player":1}"#, query, #"{"type":"output","player":1}"#,
                #"{"type":"output","player":2}"#, #"{"type":"mute","muted":true}"#, query,
                #"{"type":"mute","muted":false}"#, #"{"type":"stop","player":1}"#, query,
                #"{"type":"output","player":1}"#,
            ], of: .output, count: 7, on: socket)
        #expect(outputs.map(\.intensity) == [0, 0.5, 0.5, nil, 0, 0, nil])
        #expect(outputs.map(\.sharpness) == [0, 0.25, 0.25, nil, 0, 0, nil])
        #expect(outputs.map(\.player) == [nil, nil, 1, 2, nil, nil, 1])
        server.signal(SIGTERM)
        #expect(server.outcome().wasKilled)
    }

    @Test func anOutputQueryThatWasNotAnnouncedOrHasAnImpossibleTimeIsRefused() throws {
        let shared = try SharedBoard()
        let server = try shared.server()
        let path = try shared.socket
        let hello = #"{"type":"hello","version":3,"purpose":"play""#
        let unannounced = try reply(to: hello + "}", #"{"type":"output"}"#, at: path)
        #expect(unannounced.contains("`output` of `hello` must be true"), "\(unannounced)")
        let negative = try reply(
            to: hello + #","output":true}"#, #"{"type":"output","time":-1}"#, at: path)
        #expect(negative.contains("output: a time or a value is out of range"), "\(negative)")
        server.signal(SIGTERM)
        #expect(server.outcome().wasKilled)
    }

    // MARK: Strangers

    @Test func nonsenseIsRefusedAndDisturbsNobody() throws {
        let shared = try SharedBoard()
        let server = try shared.server()
        let engine = try shared.holding().engine
        let path = try shared.socket
        let nonsense: [[UInt8]] = [
            [0xFF, 0xFF, 0xFF, 0xFF], [0, 1, 0, 1], [0, 0, 0, 2, 0x7B, 0x7D], [0, 0, 0, 0],
            Array(repeating: 0x55, count: 100_000), [0, 0, 0],
        ]
        for bytes in nonsense {
            let socket = try #require(LocalSocket.connected(to: path))
            _ = socket.write(bytes)
            if bytes.count > 3 { #expect(wait(seconds: 5) { isClosed(socket) }, "\(bytes.count)") }
        }
        let refused = try reply(to: #"{"version":1,"purpose":"anything"}"#, at: path)
        #expect(
            refused.contains("version 3 of the server protocol, but this program uses version 1"),
            "\(refused)")
        let hello = #"{"type":"hello","version":3,"program":"test","purpose":"play"}"#
        let aimless = try reply(to: #"{"type":"hello","version":3,"purpose":"fun"}"#, at: path)
        #expect(aimless.contains("expected play, survey, relay or release"), "\(aimless)")
        let unknown = #"{"type":"sing"}"#
        let late = #"{"type":"start","player":1,"time":9223372036854775807}"#
        let outOfRange = try reply(to: hello, unknown, late, at: path)
        #expect(outOfRange.contains(#"{"message":"sing","type":"unknown"}"#), "\(outOfRange)")
        #expect(outOfRange.contains("out of range"), "\(outOfRange)")
        #expect(shared.board.level == 128)
        engine.stop(completionHandler: nil)
        #expect(wait { shared.board.isAtRest })
        server.signal(SIGTERM)
        #expect(server.outcome().status == SIGTERM, "the signal ends it")
    }

    @Test func onlyTheSameUserIsAccepted() {
        #expect(BoardServer.accepts(1_000, servedBy: 1_000))
        #expect(!BoardServer.accepts(1_001, servedBy: 1_000))
        #expect(!BoardServer.accepts(0, servedBy: 1_000))
        #expect(!BoardServer.accepts(nil, servedBy: 1_000))
        #expect(RuntimeFolder.isPrivate(owner: 1_000, mode: 0o700, for: 1_000))
        #expect(!RuntimeFolder.isPrivate(owner: 1_001, mode: 0o700, for: 1_000))
        #expect(!RuntimeFolder.isPrivate(owner: 1_000, mode: 0o710, for: 1_000))
    }

    @Test func theSystemIdentifiesTheProgramAtTheOtherEnd() throws {
        let folder = Folder()
        let path = folder.url.appending(path: "socket").path
        let listener = try #require(LocalSocket.listening(at: path))
        let client = try #require(LocalSocket.connected(to: path))
        let server = try #require(listener.accepted())
        #expect(server.peer == geteuid() && client.peer == geteuid())
    }

    /// Checks that the library finds the tool by its unique name, because the program `bridge` in
    /// `PATH` may belong to iproute2.
    @Test func theToolIsFoundByANameThatIsNobodyElses() throws {
        let (foreign, own) = (Folder(), Folder())
        for place in [foreign.path("bridge"), own.path("haptic-bridge")] {
            try Data("#!/bin/sh\n".utf8).write(to: URL(fileURLWithPath: place))
            #expect(chmod(place, 0o755) == 0)
        }
        let path = [foreign.url.path, ".", own.url.path].joined(separator: ":")
        let found = ServerProgram(["PATH": path], beside: nil)?.path
        #expect(found == own.path("haptic-bridge"), "\(found ?? "nothing")")
        #expect(ServerProgram(["PATH": foreign.url.path], beside: nil) == nil)
        #expect(ServerProgram(["PATH": path, "BRIDGE_SERVER": ""]) == nil)
        #expect(ServerProgram(["BRIDGE_SERVER": "/x/y"])?.path == "/x/y")
        let beside = ServerProgram(["PATH": path], beside: foreign.url.path)?.path
        #expect(beside == foreign.path("bridge"), "the program of the same installation")
    }

    @Test func aSocketHasAPathThatIsShortEnough() throws {
        let folder = Folder()
        let long = folder.path(String(repeating: "r", count: 90))
        try FileManager.default.createDirectory(
            atPath: long, withIntermediateDirectories: true)
        let elsewhere = try RuntimeFolder(["XDG_RUNTIME_DIR": long])
        #expect(!elsewhere.path.hasPrefix(long))
        let own = try RuntimeFolder(["XDG_RUNTIME_DIR": folder.url.path])
        let ports = ["/dev/serial/by-id/", "/dev/serial/by-path/"].map {
            own.socket(ofPort: $0 + String(repeating: "p", count: 90))
        }
        #expect(ports[0] != ports[1] && ports.allSatisfy { $0.utf8.count <= 102 })
        #expect(own.socket(ofPort: "/dev/ttyACM0") == own.path + "/dev+ttyACM0")
    }

    /// A root shell keeps the environment variables of the user who opened the shell.
    @Test(.enabled(if: geteuid() == 0, "only root can change the owner of a folder"))
    func theFolderOfAnotherUserIsNotUsed() throws {
        let folder = Folder()
        #expect(chown(folder.url.path, 12_345, 12_345) == 0)
        let own = try RuntimeFolder(["XDG_RUNTIME_DIR": folder.url.path])
        #expect(!own.path.hasPrefix(folder.url.path))
    }

    @Test func aFolderThatOthersMayEnterIsRefused() throws {
        let folder = Folder()
        let own = try RuntimeFolder(["XDG_RUNTIME_DIR": folder.url.path])
        #expect(own.path == folder.url.path + "/haptic-bridge")
        #expect(chmod(own.path, 0o755) == 0)
        #expect(throws: RuntimeFolder.Refusal.self) {
            try RuntimeFolder(["XDG_RUNTIME_DIR": folder.url.path])
        }
    }
}
