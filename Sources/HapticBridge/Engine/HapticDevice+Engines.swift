// The engines of a board, and the localities at which they play.

import BoardSharing
import BridgeLink
import Foundation
import HapticBoards
import SerialPorts

extension HapticDevice {
    /// Creates an engine that plays at a locality, like GameController's `GCDeviceHaptics`.
    ///
    /// Engines at the same locality share a stream of the board, which mixes their patterns. A
    /// board with only one stream plays at one locality at a time: while an engine plays, an engine
    /// at a different locality cannot start, and its error states the reason. If an engine starts
    /// on some of the actuators of another engine, the other engine is interrupted for a few
    /// milliseconds.
    ///
    /// - Returns: the engine; nil for a locality that no board can have (``HapticLocality/known``).
    ///   The engine checks whether this board has the locality only when the engine starts.
    ///   ``HapticEngine/init(device:locality:)`` accepts every locality.
    public func createEngine(withLocality locality: HapticLocality) -> HapticEngine? {
        guard HapticLocality.known.contains(locality) else { return nil }
        return HapticEngine(device: self, locality: locality)
    }

    /// The localities of the board: `all`, `default` and those of its actuators. The set is empty
    /// if there is no board; starting an engine then reports the reason.
    ///
    /// The board is queried over the connection of a running engine. If no engine is running, a
    /// connection is opened for the query; this takes as long as starting an engine.
    ///
    /// A preview and a single voice coil have the localities `all` and `default`; two voice coils
    /// also have the localities of the handles.
    public var supportedLocalities: Set<HapticLocality> {
        if let coils { return coils.localities }
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

    /// Returns the state of the board's actuators; an empty array if there is no board.
    package func actuators() -> [ActuatorStatus] {
        let answer = LockedValue<[ActuatorStatus]>([])
        let isThere = hostClock.makeSemaphore()
        do {
            _ = try EngineRouter.serve(
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
