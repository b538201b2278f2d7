// ButtplugPlayer: plays the levels of clients on a board.

import BridgeLink
import HapticBridge
import LocalServers
import ProgramProtocols
import SerialPorts

/// The clients of a board, and an engine for each of its actuators. Only one thread at a time may
/// use the player.
final class ButtplugPlayer {
    private let engines: [HapticEngine]
    private let board: ButtplugBoard
    private var clients: [PageConnection: ButtplugClient] = [:]

    /// Starts the engines.
    ///
    /// - Parameter onFailure: a closure that is called on a queue of an engine if the board can no
    ///   longer play.
    init(
        _ device: HapticDevice, onFailure: @escaping @Sendable (HapticError) -> Void,
        onStart: (HapticEngine) -> Void
    ) throws {
        let actuators = device.actuators().filter { ![.fault, .unconfigured].contains($0.state) }
        func start(_ localities: [HapticLocality]) throws -> [HapticEngine] {
            try localities.map { try .forMessages(on: device, at: $0, onFailure: onFailure) }
        }
        if actuators.count > 1,
            let engines = try? start(actuators.map { .actuator(Int($0.actuator)) })
        {
            self.engines = engines
            board = ButtplugBoard(name: Self.name, vibrators: actuators.map(Self.vibrator))
        } else {
            engines = try start([.default])
            board = ButtplugBoard(
                name: Self.name, vibrators: [Self.vibrator(ofAll: actuators)])
        }
        engines.forEach(onStart)
    }

    /// The name of the device, under which clients store their settings.
    private static let name = "Haptic Bridge board"

    private static func vibrator(of actuator: ActuatorStatus) -> ButtplugBoard.Vibrator {
        let place = actuator.locality == .default ? "" : ", \(actuator.locality)"
        return ButtplugBoard.Vibrator(
            "actuator \(actuator.actuator)\(place)", steps: steps(actuator.levelBits))
    }

    /// Returns the only vibrator of a board that has one actuator, or that plays on all actuators
    /// together because it has fewer streams than actuators.
    private static func vibrator(ofAll actuators: [ActuatorStatus]) -> ButtplugBoard.Vibrator {
        guard actuators.count != 1 else { return vibrator(of: actuators[0]) }
        return ButtplugBoard.Vibrator(
            "all actuators", steps: steps(actuators.map(\.levelBits).max() ?? 8))
    }

    /// Returns the greatest level of an actuator with the given number of significant bits.
    private static func steps(_ bits: UInt8) -> Int { bits == 7 ? 127 : 255 }

    // MARK: Clients

    private var now: Microseconds { hostClock.now().microseconds }

    func open(_ page: PageConnection) {
        clients[page] = ButtplugClient(page, board, engines, at: now)
    }

    func receive(_ text: String, from page: PageConnection) {
        clients[page]?.receive(text, at: now)
    }

    /// Ends the levels of a client whose connection has ended.
    func close(_ page: PageConnection) { clients.removeValue(forKey: page)?.stop() }

    func tick() {
        let now = now
        for client in clients.values { client.tick(at: now) }
    }

    /// Brings all actuators to rest, and waits until they are at rest.
    func end() { engines.stopAll() }
}
