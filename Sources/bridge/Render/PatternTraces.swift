// PatternTraces: the data of all diagrams of a picture, from the design to the acceleration.

import BridgeLink
import DRV2605
import HapticCompiler
import HapticPatterns
import ToolSupport
import VirtualBoard

/// A pattern as traces: as designed, as a stream, as drive and as acceleration.
struct PatternTraces {
    /// The pattern as designed; nil for a compiled file, which does not contain the design.
    let design: Design?
    let stream: Stream
    /// The traces of each actuator.
    let actuators: [ActuatorTraces]
    /// The measured acceleration in g; nil if it was not measured.
    var measured: Trace?
    /// The time in the picture at which the pattern begins, in microseconds. This time is above 0
    /// if the drive starts before the pattern.
    let origin: Int64
    /// The length of the picture in microseconds. At this time, all actuators are silent.
    let length: Int64

    /// The design of a pattern: events and curves combined into one level. Taps are stored
    /// separately, because they are felt in addition to the level.
    struct Design {
        /// The designed intensity, 0...1.
        var intensity = Trace()
        /// The designed sharpness, 0...1: one trace for each interval without silence.
        var sharpness: [Trace] = []
        var taps: [TapMark] = []
        /// The continuous events including their releases, in order of their start times.
        var spans: [EventSpan] = []
    }

    /// The ramps and taps of the stream.
    struct Stream {
        /// The level of the stream, 0...255.
        var level = Trace()
        /// The sharpness of the stream, 0...1, while the level is above 0; empty if the profile has
        /// no sharpness.
        var sharpness: [Trace] = []
        var taps: [TapMark] = []
    }

    /// Creates the traces of a file.
    ///
    /// - Parameter actuators: the traces of the file on each actuator.
    init(_ file: PatternFile, on actuators: [ActuatorTraces], options: CompilerOptions) {
        self.actuators = actuators
        let origin = actuators.map(\.lead).max() ?? file.lead
        self.origin = origin
        design = file.pattern.map { Design($0, at: origin, options: options) }
        stream = Stream(file.events, at: origin - file.lead, tick: file.tick)
        let felt = actuators.map(\.feltLength).max() ?? 0
        length = max(origin + max(file.renderedDuration - file.lead, felt), 1_000)
    }
}

extension PatternTraces.Design {
    /// Creates the design of a pattern that begins at `origin`.
    init(_ pattern: HapticPattern, at origin: Int64, options: CompilerOptions) {
        let mixed = MixedPattern(pattern, options: options)
        intensity.append(origin, 0)
        for piece in mixed.pieces {
            intensity.append(origin + piece.start, piece.level.value(at: piece.start))
            intensity.append(origin + piece.end, piece.level.value(at: piece.end))
            guard let line = piece.sharpness else { continue }
            if sharpness.last?.points.last?.time != origin + piece.start {
                sharpness.append(Trace())
            }
            for time in [piece.start, piece.end] {
                let value = min(max(line.value(at: time), 0), 1)
                sharpness[sharpness.count - 1].append(origin + time, value)
            }
        }
        intensity.append(origin + mixed.end, 0)
        taps = mixed.taps.map {
            TapMark(
                time: origin + $0.time, strength: $0.intensity, sharpness: $0.sharpness)
        }
        spans = mixed.spans
        for index in spans.indices {
            spans[index].start += origin
            spans[index].end += origin
        }
    }
}

extension PatternTraces.Stream {
    /// Creates the traces of a stream whose tick 0 is at `origin`.
    init(_ events: [StreamEvent], at origin: Int64, tick: Int64) {
        var corners: Set<Ticks> = []
        for event in events {
            // The corners are the last tick before the event and the tick of the event.
            corners.formUnion([max(0, event.tick - 1), event.tick])
            switch event.content {
            case .levelRamp, .sharpnessRamp: corners.insert(event.tick + event.duration)
            default: break
            }
        }
        let end = events.last?.tick ?? 0
        var played = PlayedLevel(events) { _ in 0 }
        let values = corners.sorted().prefix { $0 <= end }.map {
            (
                time: origin + Int64($0) * tick, level: played.level(at: $0),
                sharp: played.sharpness(at: $0)
            )
        }
        var isFelt = false
        for (index, value) in values.enumerated() {
            level.append(value.time, Double(value.level))
            // A ramp from silence is felt from its start, but a jump is felt only from its own
            // tick.
            let next = index + 1 < values.count ? values[index + 1] : value
            let risesNow = next.level > 0 && next.time - value.time > tick
            let isFeltNow = value.level > 0 || risesNow
            if isFeltNow || isFelt, let sharp = value.sharp {
                if !isFelt { sharpness.append(Trace()) }
                sharpness[sharpness.count - 1].append(value.time, Double(sharp) / 255)
            }
            isFelt = isFeltNow && value.sharp != nil
        }
        taps = PlayedLevel.taps(of: events).map {
            TapMark(
                time: origin + Int64($0.tick) * tick, strength: Double($0.level) / 255,
                sharpness: Double($0.sharpness) / 255)
        }
    }
}
