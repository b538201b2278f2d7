// StudioService+Measuring: measures the document, and shows the result until the document changes.

import HapticBridge
import ToolSupport

extension StudioService {
    /// Starts a measurement. Throws `StudioError` if nothing can be measured.
    func measure() throws(StudioError) {
        guard !player.isMeasuring else {
            throw StudioError(
                "a measurement is in progress", advice: "wait until it has ended, or stop it")
        }
        let pattern = try pattern()
        guard pattern.events.contains(where: \.type.isHaptic) else {
            throw StudioError(
                "there is nothing to measure", advice: "add a tap or a buzz to the pattern")
        }
        if let obstacle = boardMessage().unmeasured {
            throw StudioError("\(player.name): nothing can be measured: \(obstacle)")
        }
        player.measure(try opened().document.bytes)
        sendPosition()
        send(measurementMessage())
    }

    /// Ends the measurement, and removes its result, because the document has changed.
    func forgetMeasurement() {
        player.measurement?.cancel()
        guard measured != nil else { return }
        measured = nil
        send(measurementMessage())
    }

    /// Handles the end of a measurement.
    func record(_ outcome: StudioOutcome) {
        let isWanted = player.measurement?.isWanted ?? false
        switch outcome.result {
        case .success(let result):
            player.handleMeasurement(nil)
            if isWanted { measured = result }
        case .failure(let error):
            player.handleMeasurement(error)
            guard !(error is CancellationError) else { break }
            send(StudioMessages.error(StudioError(ToolError(error, port: player.name))))
        }
        send(measurementMessage())
    }

    func measurementMessage() -> StudioMessages.Measurement {
        StudioMessages.Measurement(isRunning: player.isMeasuring, result: measured)
    }
}
