// StreamPosition: the position of a stream in time and in its ramps.

import CBridgeProtocol

/// The current tick of a stream, and the ticks at which its ramps end.
struct StreamPosition: Sendable, Equatable {
    private(set) var tick: Ticks = 0
    private(set) var levelEnd: Ticks = 0
    private(set) var sharpnessEnd: Ticks = 0

    mutating func execute(_ step: EventStep) {
        tick += step.delta
        switch step.content {
        case .level: levelEnd = tick
        case .levelSharpness: (levelEnd, sharpnessEnd) = (tick, tick)
        case .levelRamp(_, let duration): levelEnd = tick + duration
        case .sharpnessRamp(_, let duration): sharpnessEnd = tick + duration
        case .tap, .tapGain, .end, nil: break
        }
    }
}
