// OpenedPattern+Prediction: the acceleration that a model of the actuator predicts for the open
// pattern, for the picture.

import BridgeLink
import DRV2605
import HapticCompiler
import HapticPatterns
import Prediction

extension OpenedPattern {
    /// The maximum duration for which the acceleration is predicted, in microseconds.
    private static let predictedMost: Microseconds = 600_000_000

    /// Returns the greatest predicted acceleration of each of `count` equal intervals, 0...255. 255
    /// is the acceleration at full level.
    func prediction(
        _ count: Int, on configuration: ActuatorConfiguration, _ profile: DeviceProfile
    ) -> [UInt8] {
        let stream = stream(for: profile)
        let duration = shownDuration
        let predicted = min(duration, Self.predictedMost) + stream.lead
        // In a pattern that lasts for hours, predicting the remaining events would take seconds.
        let later = stream.events.firstIndex { StreamTime.time(of: $0.tick) > predicted }
        let felt = FeltAcceleration(
            of: Array(stream.events.prefix((later ?? stream.events.count) + 1)), tick: stream.tick,
            on: configuration, band: profile.band, for: predicted)
        func index(_ interval: Int) -> Int {
            let time = stream.lead + duration * Microseconds(interval) / Microseconds(count)
            return Int(time / FeltAcceleration.step)
        }
        return (0..<count).map { interval in
            let first = index(interval)
            let values = felt.samples.dropFirst(first).prefix(max(1, index(interval + 1) - first))
            return UInt8(min(255, (values.max() ?? 0) / felt.rated * 255))
        }
    }
}
