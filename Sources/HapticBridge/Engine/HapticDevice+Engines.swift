// The engines of a board, and the localities at which they are felt.

import BoardSharing
import BridgeLink
import Foundation
import HapticBoards
import SerialPorts

extension HapticDevice {
    /// Makes an engine that is felt at a locality, as GameController's `GCDeviceHaptics` does.
    ///
    /// Engines at the same locality share a stream of the board, which mixes them. A board that has
    /// only one stream plays at one locality at a time; otherwise a start fails with that reason. A
    /// start at a part of the actuators at which another engine plays interrupts the latter for some
    /// milliseconds.
    ///
    /// - Returns: the engine; nil for a locality that no board can have (``HapticLocality/known``).
    ///   Whether this board has the locality is found at the start.
    ///   ``HapticEngine/init(device:locality:)`` leaves the whole check to the start.
    public func createEngine(withLocality locality: HapticLocality) -> HapticEngine? {
        guard HapticLocality.known.contains(locality) else { return nil }
        return HapticEngine(device: self, locality: locality)
    }

    /// The localities at which the board can be felt: `all`, `default` and those of its actuators.
    /// Empty if there is no board; the start of an engine reports the reason.
    ///
    /// The board is asked over the connection of an engine that runs on it. If there is none, a
    /// connection of its own is opened, which takes as long as a start.
    ///
    /// A preview takes the place of every board: it has `all` and `default`.
    public var supportedLocalities: Set<HapticLocality> {
        let localities = preview == .always ? [] : boardLocalities
        return localities.isEmpty && preview != .never ? [.all, .default] : localities
    }

    /// Returns ``supportedLocalities`` without blocking the caller.
    public func localities() async -> Set<HapticLocality> {
        await withCheckedContinuation { continuation in
            Thread.start("haptic-bridge.localities", qualityOfService: .userInitiated) {
                continuation.resume(returning: supportedLocalities)
            }
        }
    }

    private var boardLocalities: Set<HapticLocality> {
        Set(HapticLocality.supported(by: actuators()))
    }

    /// Returns the state of the board's actuators; none if there is no board.
    package func actuators() -> [ActuatorStatus] {
        let answer = LockedValue<[ActuatorStatus]>([])
        let isThere = hostClock.makeSemaphore()
        do {
            _ = try RemoteEngine.serve(
                source, by: serverProgram, at: source.identity(), .survey
            ) { _, report in
                switch report {
                case .surveyed(let actuators): answer.withLock { $0 = actuators }
                case .failed, .lost, .suspended, .stopped: break
                default: return
                }
                isThere.signal()
            }
            isThere.wait()
        } catch {
            return []
        }
        return answer.withLock { $0 }
    }
}
