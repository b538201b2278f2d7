// StudioPlayer+Measuring: lends the board to a measurement.

import HapticBridge

extension StudioPlayer {
    /// The reason why the board cannot measure, as it was when the engine last started; nil if the
    /// board has an accelerometer.
    var measuringObstacle: RecordingError? {
        guard let sensor = engine.board?.sensor else { return .unsupported }
        return sensor == .none ? .noSensor : nil
    }

    /// True if a measurement uses the board.
    var isMeasuring: Bool { measurement != nil }

    /// Stops the playback, and measures a document. The result is posted to the inbox. A playback
    /// that starts before the result arrives cancels the measurement.
    func measure(_ bytes: [UInt8]) {
        silence()
        // The result of a start that has not ended is ignored.
        isStarting = false
        let measurement = StudioMeasurement(of: bytes, on: device, at: locality, axis, inbox)
        self.measurement = measurement
        engine.stop { measurement.begin(after: $0) }
    }

    /// Handles the end of the measurement.
    ///
    /// - Parameter error: the reason why the measurement has no result; nil if it has one.
    func handleMeasurement(_ error: (any Error)?) {
        measurement = nil
        guard isResting else { return start() }
        inbox.post(.rested(error is CancellationError ? nil : error))
    }
}
