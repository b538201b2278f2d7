// Programs in a ProgramWorld that misbehave, for suites with the trait `.virtualTime`.

import BridgeLink
import Foundation
import HapticPatterns
import SerialPorts
import TestSupport

@testable import BoardEngine
@testable import BoardSharing
@testable import HapticBoards
@testable import HapticBridge

/// A program that communicates with the server without the library. The program is killed, stalls,
/// does not read, uses another version, or sends invalid messages.
struct RudeProgram {
    private let world: ProgramWorld
    private var generator: SeededGenerator

    init(_ world: ProgramWorld, _ generator: SeededGenerator) {
        (self.world, self.generator) = (world, generator)
    }

    func run() {
        var program = self
        do { try program.act() } catch { world.expect(false, "a rude program: \(error)") }
    }

    private mutating func act() throws {
        guard let socket = try connected() else { return }
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1: try playAndBeKilled(MessageConnection(socket))
        case 2: try playAndStandStill(MessageConnection(socket))
        case 3: try neverRead(MessageConnection(socket))
        case 4: try beOfAnotherVersion(MessageConnection(socket))
        case 5: try askForRelease(MessageConnection(socket))
        case 6: sendNonsense(socket)
        default: sayHalf(socket)
        }
    }

    /// Connects to the server. Returns nil if no server accepts the connection within a second.
    private func connected() throws -> LocalSocket? {
        let path = try RuntimeFolder().socket(ofPort: world.port)
        var socket: LocalSocket?
        _ = wait(seconds: 1) {
            socket = LocalSocket.connected(to: path)
            return socket != nil
        }
        return socket
    }

    /// Sends the greeting of an engine, and plays a constant level. Returns the level and its start
    /// time, or nil if the server is about to end.
    private mutating func hold(_ connection: MessageConnection) throws -> (
        level: Int, start: HostTime
    )? {
        try connection.send(ClientMessage.hello(for: .engine(.leftHandle)))
        var hasStarted = false
        let isAnswered = wait(seconds: ProgramWorld.patience) {
            try? connection.send(ClientMessage.alive())
            let reports = try? connection.reports()
            hasStarted = (reports ?? []).contains { if case .started = $0 { true } else { false } }
            return hasStarted || reports == nil
        }
        world.expect(isAnswered, "a greeting is not answered")
        guard hasStarted else { return nil }
        let level = Int.random(in: 16...128, using: &generator)
        let pattern = HapticPattern(events: [
            HapticEvent(
                .hapticContinuous, time: 0, duration: 20_000_000, intensity: Double(level) / 255)
        ])
        let player = PlayerID(number: 7)
        let start = Link.now() + 100_000
        for request in [
            EngineRequest.perform(.add(PlayerVoice(pattern)), player),
            .perform(.start(at: start), player),
        ] {
            for message in ClientMessage.messages(for: request) { try connection.send(message) }
        }
        return (level, start)
    }

    /// Sends keep-alive messages until a given time.
    private func live(_ connection: MessageConnection, until end: HostTime) throws {
        while Link.now() < end {
            try connection.send(ClientMessage.alive())
            _ = try? connection.reports()
            pause(min(50_000, end - Link.now()))
        }
    }

    private mutating func playAndBeKilled(_ connection: MessageConnection) throws {
        guard let (level, start) = try hold(connection) else { return }
        let end = start + .random(in: -50_000...300_000, using: &generator)
        try live(connection, until: end)
        connection.socket.shutDown()
        let certain = start < end ? start..<end : nil
        world.plan.mayHold(level, certainly: certain, start..<max(start, end) + 60_000)
    }

    private mutating func playAndStandStill(_ connection: MessageConnection) throws {
        guard let (level, start) = try hold(connection) else { return }
        let end = start + .random(in: 0...200_000, using: &generator)
        try live(connection, until: end)
        let silent = Link.now()
        world.plan.mayHold(
            level, certainly: start..<silent + 190_000, start..<silent + 360_000)
        pause(700_000)
        var isLost = false
        let isAnswered = wait(seconds: 2) {
            let reports = try? connection.reports()
            isLost = (reports ?? []).contains { if case .lost = $0 { true } else { false } }
            return isLost || reports == nil
        }
        world.expect(isAnswered && isLost, "a suspended program is not notified")
    }

    private mutating func neverRead(_ connection: MessageConnection) throws {
        try connection.send(ClientMessage.hello(for: .engine(.leftHandle)))
        for _ in 0..<Int.random(in: 10...1_500, using: &generator) {
            try connection.send(ClientMessage.alive(askingAt: Link.now()))
            if connection.hasBacklog { pause(1_000) }
            connection.flush()
        }
        pause(.random(in: 0...500_000, using: &generator))
    }

    private mutating func beOfAnotherVersion(_ connection: MessageConnection) throws {
        var hello = ClientMessage.hello(for: .engine(.leftHandle))
        hello.version = [1, 2, 4, 1_000].randomElement(using: &generator)
        try connection.send(hello)
        var reason = ""
        let isRefused = wait(seconds: ProgramWorld.patience) {
            do { _ = try connection.reports() } catch { reason = "\(error)" }
            return !reason.isEmpty
        }
        world.expect(isRefused && reason.contains("version"), "another version: \(reason)")
    }

    /// Requests exclusive use of the board while another program plays, and expects the server to
    /// reject the request.
    private mutating func askForRelease(_ connection: MessageConnection) throws {
        guard world.playsUntil.withLock({ $0 }) - 500_000 > Link.now() else { return }
        try connection.send(ClientMessage.hello(for: .release))
        var isRefused = false
        let isAnswered = wait(seconds: ProgramWorld.patience) {
            let reports = try? connection.reports()
            isRefused = (reports ?? []).contains { if case .failed = $0 { true } else { false } }
            return isRefused || reports == nil
        }
        world.expect(isAnswered && isRefused, "a release is not rejected")
    }

    private mutating func sendNonsense(_ socket: LocalSocket) {
        _ = socket.write(generator.bytes(.random(in: 1...3_000, using: &generator)))
        pause(.random(in: 0...300_000, using: &generator))
    }

    private mutating func sayHalf(_ socket: LocalSocket) {
        let hello = #"{"type":"hello","version":3,"program":"half","purpose":"play"}"#
        let bytes = [0, 0, 0, UInt8(hello.utf8.count)] + Array(hello.utf8)
        _ = socket.write(Array(bytes.prefix(.random(in: 0..<bytes.count, using: &generator))))
        pause(.random(in: 0...1_000_000, using: &generator))
    }
}
