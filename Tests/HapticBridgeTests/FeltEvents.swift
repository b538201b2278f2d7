// FeltEvents: short names for the events of patterns that a modeled actuator plays.

import HapticPatterns

/// A suite whose patterns consist of taps and levels at whole milliseconds.
protocol FeltEvents {}

extension FeltEvents {
    func tap(_ milliseconds: Int, _ intensity: Double, _ sharpness: Double = 0.5) -> HapticEvent {
        HapticEvent(
            .hapticTransient, time: Microseconds(milliseconds) * 1_000, intensity: intensity,
            sharpness: sharpness)
    }

    func hum(_ milliseconds: Range<Int>, _ intensity: Double) -> HapticEvent {
        HapticEvent(
            .hapticContinuous, time: Microseconds(milliseconds.lowerBound) * 1_000,
            duration: Microseconds(milliseconds.count) * 1_000, intensity: intensity, sharpness: 0)
    }
}
