// OSCService: receives Open Sound Control while a board is served.

import BoardSharing
import BridgeLink
import Foundation
import HapticBridge
import JSONText
import ProgramProtocols
import SerialPorts
import ToolSupport

/// Receives OSC messages and plays them on the board.
final class OSCService {
    /// The player. Between the start and the end of the service, only the receiver's thread uses
    /// it.
    private final class Shared: @unchecked Sendable {
        let player: OSCPlayer
        init(_ player: OSCPlayer) { self.player = player }
    }

    private let shared: Shared
    private let receiver: DatagramReceiver

    /// The interval between two calls of `OSCPlayer.tick()`, in microseconds.
    private static let interval: Microseconds = 4_000

    /// Starts to receive. Throws `ToolError`.
    init(_ options: OSCOptions, on device: HapticDevice, _ output: OutputOptions) throws {
        let endpoint = options.endpoint
        let rules = try options.rules()
        // The fixed order makes the comparison with address patterns repeatable.
        let supported = device.supportedLocalities
        let localities = HapticLocality.known.filter { supported.contains($0) }.map(\.rawValue)
        let name = device.servedPort?() ?? device.name
        let player = OSCPlayer(
            device, rules: rules, localities: localities, hold: options.hold,
            onFailure: { output.remark(failureOfMessages: $0, at: name) },
            onStart: { output.remarkIdleActuators(of: $0, at: name) })
        do {
            try player.start(rules)
        } catch let error as HapticError {
            throw ToolError(error, at: name)
        }
        let shared = Shared(player)
        self.shared = shared
        do {
            receiver = try DatagramReceiver(
                host: endpoint.host, port: endpoint.port, every: Self.interval,
                onInterval: { shared.player.tick() },
                onDatagram: { shared.player.receive($0) })
        } catch {
            player.end()
            var error = ToolError(error, port: nil)
            error.message = "--osc \(error.message)"
            error.advice = ["choose another address or port; 0 selects a free port"]
            throw error
        }
    }

    /// The address and the port on which messages are received.
    var address: String { receiver.address }

    /// Stops receiving, brings all actuators to rest, and returns the statistics of the messages.
    func end() -> Report {
        receiver.close()
        let player = shared.player
        let bounds = (clock: player.clockBound, bundles: player.bundleBound)
        player.end()
        return Report(
            statistics: player.statistics, clockBound: bounds.clock, bundleBound: bounds.bundles)
    }

    /// The statistics of the received messages.
    struct Report {
        let statistics: OSCStatistics
        let clockBound: Duration?
        /// The maximum error of the start times of bundles.
        let bundleBound: Duration?

        var json: JSONValue {
            [
                "schema": "bridge.osc/1", "messages": .number(statistics.messages),
                "malformed": .number(statistics.malformed),
                "unknown": .number(statistics.unknown), "late": .number(statistics.late),
                "refused": .number(statistics.refused), "dropped": .number(statistics.dropped),
                "unplayable": .number(statistics.unplayable),
                "expired": .number(statistics.expired),
                "latest_us": .number(Microseconds(seconds: statistics.latest)),
                "clock_bound_us": .number(clockBound.map { Microseconds($0) }),
                "bundle_bound_us": .number(bundleBound.map { Microseconds($0) }),
            ]
        }

        /// The report as one line of text.
        var text: String {
            let parts: [(Int, String)] = [
                (statistics.malformed, "datagrams that are not OSC"),
                (statistics.unknown, "with unknown addresses or arguments"),
                (
                    statistics.late,
                    "late, by \(String(format: "%.1f", statistics.latest * 1_000)) ms at most"
                ),
                (statistics.refused, "more than \(Int(OSCTiming.leadMax)) s ahead, refused"),
                (statistics.dropped, "dropped because too many arrived at the same time"),
                (statistics.unplayable, "could not be played"),
                (statistics.expired, "levels ended because no message renewed them"),
            ]
            let listed = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
            let bound = bundleBound.map {
                "bundles started within \(String(format: "%.2f", $0 / .milliseconds(1))) ms"
            }
            return
                (["OSC: \(statistics.messages.text("message"))"] + listed
                + (bound.map { [$0] } ?? []))
                .joined(separator: "; ")
        }
    }
}
