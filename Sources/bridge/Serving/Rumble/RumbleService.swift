// RumbleService: a gamepad for games while a board is served.

import BridgeLink
import Foundation
import HapticBridge
import POSIX
import ProgramProtocols
import SerialPorts
import Synchronization
import ToolSupport

/// Creates a gamepad, and plays the effects of games on the board.
final class RumbleService {
    /// The player, its gamepad and its thread. Between the start and the end of the service, only
    /// the thread uses the player.
    private final class Shared: @unchecked Sendable {
        let player: RumblePlayer
        let gamepad: any RumbleGamepad
        let output: OutputOptions
        let eventSignal: EventSignal
        let isClosed = Atomic(false)
        let hasEnded = hostClock.makeSemaphore()

        init(_ player: RumblePlayer, _ gamepad: any RumbleGamepad, _ output: OutputOptions) throws {
            (self.player, self.gamepad, self.output) = (player, gamepad, output)
            eventSignal = try EventSignal()
        }
    }

    private let shared: Shared

    /// The maximum interval between two calls of `RumblePlayer.tick()`, in microseconds.
    private static let interval: Microseconds = 4_000
    /// The maximum interval between two calls while an effect plays, because its level may change.
    /// The board cannot follow faster changes.
    private static let playInterval: Microseconds = 2_000
    /// The time before the beginning or the end of an effect during which no other level is sent,
    /// because a `LevelPlayer` would defer the level of the beginning or the end if it followed
    /// within 2 ms.
    private static let clearance: Microseconds = 5_000
    /// The number of events in a read.
    private static let eventsMax = 16

    /// Starts to receive effects. Throws `ToolError`.
    ///
    /// - Parameter makeGamepad: a closure that creates a gamepad with a name.
    init(
        on device: HapticDevice, _ makeGamepad: (String) throws -> any RumbleGamepad,
        _ output: OutputOptions
    ) throws {
        let gamepad = try makeGamepad(Self.name(of: device))
        let name = device.servedPort?() ?? device.name
        do {
            let player = try RumblePlayer(
                device, onFailure: { output.remark(failureOfMessages: $0, at: name) },
                onStart: { output.remarkIdleActuators(of: $0, at: name) })
            shared = try Shared(player, gamepad, output)
        } catch let error as HapticError {
            throw ToolError(error, at: name)
        }
        Thread.start("haptic-bridge.rumble", qualityOfService: .userInteractive) {
            [shared] in Self.run(shared)
        }
    }

    /// Returns the name of the gamepad that is shown to people who play games.
    private static func name(of device: HapticDevice) -> String {
        let places = device.actuators().map(\.locality).filter { $0 != .default }
        return (["Haptic Bridge"] + places.map { "\($0)" }).joined(separator: ", ")
    }

    /// The path at which programs open the gamepad.
    var path: String { shared.gamepad.path }

    /// Removes the gamepad, and brings all actuators to rest.
    func end() {
        shared.isClosed.store(true, ordering: .relaxed)
        shared.eventSignal.signal()
        shared.hasEnded.wait()
        shared.player.end()
    }

    // MARK: The thread

    private static func run(_ shared: Shared) {
        var next = hostClock.now()
        var hasGamepad = true
        while hasGamepad, !shared.isClosed.load(ordering: .relaxed) {
            var requests = [
                pollfd(fd: shared.gamepad.descriptor, events: Int16(POLLIN), revents: 0),
                shared.eventSignal.request,
            ]
            _ = hostClock.poll(&requests, until: next)
            hasGamepad = receive(shared)
            shared.player.tick()
            next = nextTick(before: shared.player.nextChange)
        }
        shared.player.stop()
        shared.hasEnded.signal()
    }

    /// Returns the time of the next call of `RumblePlayer.tick()`.
    ///
    /// - Parameter change: the next time at which an effect begins or ends.
    private static func nextTick(before change: HostTime) -> HostTime {
        let now = hostClock.now()
        guard change != .never else { return now + interval }
        return change - now < clearance ? change : now + playInterval
    }

    /// Performs the events that have arrived. Returns false if the gamepad no longer exists.
    private static func receive(_ shared: Shared) -> Bool {
        var bytes = [UInt8](repeating: 0, count: eventsMax * RumbleEvent.size)
        let count = read(shared.gamepad.descriptor, &bytes, bytes.count)
        guard count > 0 else {
            if count < 0, [EAGAIN, EINTR].contains(errno) { return true }
            shared.output.remark("the gamepad was removed; its effects have ended")
            return false
        }
        for start in stride(from: 0, to: count, by: RumbleEvent.size) {
            guard let event = RumbleEvent(bytes[start..<min(start + RumbleEvent.size, count)])
            else { continue }
            shared.player.receive(event, from: shared.gamepad)
        }
        return true
    }
}
