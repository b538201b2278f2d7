// ButtplugProgram: clients of `bridge serve --buttplug` in a ProgramWorld, for suites with the
// trait `.virtualTime`.

import BridgeLink
import Foundation
import HapticBridge
import LocalServers
import SerialPorts
import TestSupport

@testable import bridge

/// A service for Buttplug messages, and clients that hold levels at the left handle. The clients
/// close their connections, are silent, use another version, or send invalid messages or a flood.
///
/// The clients run in the process of the service and do not use WebSockets.
struct ButtplugProgram {
    /// The client's end of a connection.
    private final class Client: PageOutlet {
        private let texts = LockedValue<[String]>([])
        private let isOver = LockedValue(false)

        /// True if the service has closed the connection.
        var isClosed: Bool { isOver.withLock(\.self) }

        func hasReceived(_ text: String) -> Bool {
            texts.withLock { $0.contains { $0.contains(text) } }
        }

        func send(_ text: String) { texts.withLock { $0.append(text) } }
        func sendLatest(_ text: String, of kind: String) { send(text) }
        func join(_ descriptor: Int32) {}
        func close() { isOver.withLock { $0 = true } }
    }

    private let world: ProgramWorld
    private var generator: SeededGenerator

    /// The maximum time until a level begins or ends, in microseconds.
    private static let delay: Microseconds = 30_000

    init(_ world: ProgramWorld, _ generator: SeededGenerator) {
        (self.world, self.generator) = (world, generator)
    }

    func run() {
        var program = self
        do { try program.serve() } catch { world.expect(false, "Buttplug messages: \(error)") }
    }

    private mutating func serve() throws {
        let player = try ButtplugPlayer(
            .port(world.port),
            onFailure: { [world] in world.expect(false, "Buttplug messages: \($0)") },
            onStart: { _ in })
        for number in 1...Int.random(in: 1...3, using: &generator) {
            act(player, as: number)
            pass(100_000, player)
        }
        player.end()
    }

    /// Lets time pass. The service continues to work while the program waits.
    private func pass(_ time: Microseconds, _ player: ButtplugPlayer) {
        let end = Link.now() + time
        while Link.now() < end {
            player.tick()
            pause(min(4_000, end - Link.now()))
        }
    }

    private func hello(version: Int) -> String {
        #"[{"RequestServerInfo":{"Id":1,"ClientName":"c","ProtocolVersionMajor":\#(version),"#
            + #""ProtocolVersionMinor":0}}]"#
    }

    /// Connects a client, which holds a level, and ends the client in one of several ways.
    private mutating func act(_ player: ButtplugPlayer, as number: Int) {
        let client = Client()
        let page = PageConnection(id: number, outlet: client)
        player.open(page)
        guard !generator.chance(oneIn: 6) else {
            player.receive(hello(version: 9), from: page)
            world.expect(client.isClosed, "another version of the messages is not refused")
            return player.close(page)
        }
        player.receive(hello(version: 4), from: page)
        world.expect(client.hasReceived("ServerInfo"), "a Buttplug client is not answered")
        let level = Int.random(in: 16...128, using: &generator)
        let message =
            #"[{"OutputCmd":{"Id":2,"DeviceIndex":0,"FeatureIndex":0,"#
            + #""Command":{"Vibrate":{"Value":\#(level)}}}}]"#
        let start = Link.now()
        player.receive(message, from: page)
        pass(.random(in: 100_000...300_000, using: &generator), player)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
            player.receive(generator.chance(oneIn: 2) ? "nonsense" : "{}", from: page)
            world.expect(client.hasReceived("Error"), "an invalid Buttplug message is not refused")
            pass(50_000, player)
        case 1, 2:
            for _ in 0..<Int.random(in: 10...1_000, using: &generator) {
                player.receive(message, from: page)
                if generator.chance(oneIn: 8) { pass(1_000, player) }
            }
        case 3:
            pass(5_000_000, player)
            world.expect(client.isClosed, "a silent Buttplug client is not disconnected")
        default: break
        }
        let end = min(Link.now(), client.isClosed ? start + 5_000_000 : .never)
        player.close(page)
        world.plan.mayHold(
            level, certainly: start + Self.delay..<end - Self.delay,
            start..<Link.now() + Self.delay)
    }
}
