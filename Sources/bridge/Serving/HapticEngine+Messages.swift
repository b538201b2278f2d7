// The engines that play the messages of other programs.

import HapticBridge
import SerialPorts
import ToolSupport

extension HapticEngine {
    /// Starts an engine that plays messages of other programs, and that starts again after a reset
    /// or the loss of the board.
    ///
    /// - Parameter onFailure: a closure that is called on a queue of the engine if the board can no
    ///   longer play.
    static func forMessages(
        on device: HapticDevice, at locality: HapticLocality,
        onFailure: @escaping @Sendable (HapticError) -> Void
    ) throws -> HapticEngine {
        let engine = HapticEngine(device: device, locality: locality)
        engine.resetHandler = { [weak engine] in
            onFailure(.boardWasReset)
            engine?.start(completionHandler: nil)
        }
        engine.stoppedHandler = { [weak engine] _ in
            if let engine { onFailure(engine.failure ?? .unknownEnd) }
        }
        engine.faultsHandler = onFailure
        engine.reconnects = true
        try engine.start()
        return engine
    }
}

extension Collection<HapticEngine> {
    /// Stops the engines and waits until the board is at rest.
    func stopAll() {
        let isAtRest = hostClock.makeSemaphore()
        for engine in self { engine.stop { _ in isAtRest.signal() } }
        for _ in self { isAtRest.wait() }
    }
}

extension OutputOptions {
    /// Reports that a board cannot play the messages of other programs. If the board is lost,
    /// reports nothing, because the service then ends and reports the reason itself.
    func remark(failureOfMessages failure: HapticError, at port: String) {
        if failure.underlying == nil || !failure.faults.isEmpty {
            remark(ToolError(failure, at: port))
        }
    }
}
