// ButtplugService: receives Buttplug messages while a board is served.

import HapticBridge
import LocalServers
import ProgramProtocols
import ToolSupport

/// Receives messages from clients and plays them on the board.
final class ButtplugService {
    /// The player. Between the start and the end of the service, only the server's thread uses it.
    private final class Shared: @unchecked Sendable {
        let player: ButtplugPlayer

        init(_ player: ButtplugPlayer) { self.player = player }
    }

    private let shared: Shared
    private let server: LocalSocketServer

    /// The interval between two calls to `ButtplugPlayer.tick()`, in microseconds.
    private static let interval: Int64 = 4_000

    /// Starts to receive. Throws `ToolError`.
    init(_ options: ButtplugOptions, on device: HapticDevice, _ output: OutputOptions) throws {
        let shared = Shared(try Self.player(on: device, output))
        self.shared = shared
        do {
            server = try LocalSocketServer(
                port: options.port, origins: Set(options.origins.map { $0.lowercased() }),
                messageMax: ButtplugSession.textMax, tooLarge: ButtplugSession.tooLarge,
                every: Self.interval, onInterval: { shared.player.tick() },
                onOpen: { shared.player.open($0) },
                onMessage: { shared.player.receive($1, from: $0) },
                onClose: { shared.player.close($0) },
                onStranger: RefusedPages("--buttplug-origin", output).report)
        } catch {
            shared.player.end()
            throw (error as? PortRefusal).map { ToolError($0, of: "--buttplug", at: options.port) }
                ?? error
        }
    }

    private static func player(
        on device: HapticDevice, _ output: OutputOptions
    ) throws -> ButtplugPlayer {
        let name = device.servedPort?() ?? device.name
        do {
            return try ButtplugPlayer(
                device, onFailure: { output.remark(failureOfMessages: $0, at: name) },
                onStart: { output.remarkIdleActuators(of: $0, at: name) })
        } catch let error as HapticError {
            throw ToolError(error, at: name)
        }
    }

    /// The address that clients connect to.
    var address: String { "ws://127.0.0.1:\(server.port)" }
    var port: Int { server.port }

    /// Disconnects all clients, and brings all actuators to rest.
    func end() {
        server.close()
        shared.player.end()
    }
}
