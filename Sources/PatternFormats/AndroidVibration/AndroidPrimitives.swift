// The named effects of Android, and their equivalents in a pattern.

import HapticPatterns

/// A named effect of Android. Each device implements a named effect differently; the values in this
/// file approximate the descriptions in Android's reference documentation.
struct AndroidEffect {
    /// The form of an effect.
    enum Shape {
        /// A tap with the given sharpness.
        case tap(sharpness: Double)
        /// Equally spaced levels, all with the same sharpness.
        case envelope([Double], sharpness: Double)
    }

    var intensity: Double
    var shape: Shape
    /// The length, in microseconds.
    var length: Microseconds

    /// The primitives of `VibrationEffect.Composition`.
    static let primitives: [String: AndroidEffect] = [
        "click": .init(intensity: 1, shape: .tap(sharpness: 0.5), length: 12_000),
        "tick": .init(intensity: 1, shape: .tap(sharpness: 0.75), length: 8_000),
        "low_tick": .init(intensity: 1, shape: .tap(sharpness: 0.25), length: 12_000),
        "thud": .init(
            intensity: 1, shape: .envelope([1, 0], sharpness: 0), length: 300_000),
        "spin": .init(
            intensity: 1, shape: .envelope([0.5, 1, 0.5], sharpness: 0.25), length: 150_000),
        "quick_rise": .init(
            intensity: 1, shape: .envelope([0, 1], sharpness: 0.5), length: 150_000),
        "slow_rise": .init(
            intensity: 1, shape: .envelope([0, 1], sharpness: 0.5), length: 500_000),
        "quick_fall": .init(
            intensity: 1, shape: .envelope([1, 0], sharpness: 0.5), length: 100_000),
    ]

    /// The predefined effects that consist of one tap, and `double_click`, which has a second tap.
    static let predefined: [String: [AndroidEffect]] = [
        "click": [.init(intensity: 0.8, shape: .tap(sharpness: 0.5), length: 12_000)],
        "double_click": [
            .init(intensity: 0.8, shape: .tap(sharpness: 0.5), length: 100_000),
            .init(intensity: 0.8, shape: .tap(sharpness: 0.5), length: 12_000),
        ],
        "tick": [.init(intensity: 0.5, shape: .tap(sharpness: 0.75), length: 8_000)],
        "heavy_click": [.init(intensity: 1, shape: .tap(sharpness: 0.5), length: 12_000)],
        "pop": [.init(intensity: 0.6, shape: .tap(sharpness: 0.6), length: 10_000)],
        "thud": [.init(intensity: 0.9, shape: .tap(sharpness: 0.1), length: 20_000)],
        "texture_tick": [.init(intensity: 0.3, shape: .tap(sharpness: 0.75), length: 8_000)],
    ]

    /// The predefined effects that are melodies stored in the device, so a file contains only their
    /// names.
    static let ringtones = Set((1...15).map { "ringtone_\($0)" })

    /// Returns the signal of the scaled effect, starting at the given time.
    func signal(from start: Microseconds, scale: Double) -> HapticSignal {
        switch shape {
        case .tap(let sharpness):
            return HapticSignal(taps: [
                .init(time: start, intensity: intensity * scale, sharpness: sharpness)
            ])
        case .envelope(let levels, let sharpness):
            let step = length / Microseconds(levels.count - 1)
            let points = levels.enumerated().map { index, level in
                Breakpoint(
                    time: start + Microseconds(index) * step, value: level * intensity * scale)
            }
            return HapticSignal(
                intensity: points, sharpness: [Breakpoint(time: start, value: sharpness)])
        }
    }
}

/// The primitives of Android's compositions, for other formats that refer to them by name.
enum AndroidPrimitive {
    /// Returns the signal of a primitive that starts at the given time; nil if no primitive has the
    /// name.
    static func signal(
        named name: String, from start: Microseconds, scale: Double
    ) -> HapticSignal? {
        AndroidEffect.primitives[name]?.signal(from: start, scale: scale)
    }
}
