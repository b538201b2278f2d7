// Events and their parameters as Core Haptics has them, on AHAP's value types.

import AHAP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An event of a pattern; its members in seconds are Core Haptics', those in microseconds AHAP's.
public typealias HapticEvent = AHAP.HapticEvent
/// Core Haptics' spelling.
public typealias CHHapticEvent = AHAP.HapticEvent
/// Core Haptics' spelling.
public typealias CHHapticEventParameter = HapticEventParameter
/// Core Haptics' spelling. A number that an engine gave to a registered sound.
public typealias CHHapticAudioResourceID = Int

/// A parameter of one event.
public struct HapticEventParameter: Sendable, Hashable {
    /// What it sets.
    public var parameterID: EventParameterID
    /// The value; outside the range of ``parameterID`` it is taken as the nearest inside.
    public var value: Float

    /// Makes a parameter of an event.
    public init(parameterID: EventParameterID, value: Float) {
        self.parameterID = parameterID
        self.value = value
    }
}

extension AHAP.HapticEvent {
    /// Core Haptics' name of the parameters that an event may have.
    public typealias ParameterID = EventParameterID

    /// Makes an event without a duration: a transient, or a continuous one that plays until it is
    /// stopped.
    ///
    /// - Parameters:
    ///   - parameters: where one is given twice the last counts; those that the type does not have
    ///     are without effect.
    ///   - relativeTime: seconds from the start of the pattern, at least 0.
    public init(
        eventType: EventType, parameters: [HapticEventParameter], relativeTime: TimeInterval
    ) {
        self.init(eventType, time: Microseconds(seconds: relativeTime))
        set(parameters)
    }

    /// Makes an event with a duration.
    ///
    /// - Parameters:
    ///   - relativeTime: seconds from the start of the pattern, at least 0.
    ///   - duration: seconds until the release begins, at least 0. It does not lengthen a transient.
    public init(
        eventType: EventType, parameters: [HapticEventParameter], relativeTime: TimeInterval,
        duration: TimeInterval
    ) {
        self.init(eventType: eventType, parameters: parameters, relativeTime: relativeTime)
        length = Microseconds(seconds: duration)
    }

    /// Makes an event that is a sound, which no actuator plays.
    ///
    /// - Parameter resID: what ``HapticEngine/registerAudioResource(_:options:)`` returned.
    public init(
        audioResourceID resID: CHHapticAudioResourceID, parameters: [HapticEventParameter],
        relativeTime: TimeInterval
    ) {
        self.init(
            .audioCustom, time: Microseconds(seconds: relativeTime),
            audio: AudioAttributes(resourceID: resID))
        set(parameters)
    }

    /// Makes an event that is a sound of a given length, which no actuator plays.
    public init(
        audioResourceID resID: CHHapticAudioResourceID, parameters: [HapticEventParameter],
        relativeTime: TimeInterval, duration: TimeInterval
    ) {
        self.init(audioResourceID: resID, parameters: parameters, relativeTime: relativeTime)
        length = Microseconds(seconds: duration)
    }

    /// The start in seconds from the start of the pattern.
    public var relativeTime: TimeInterval {
        get { time.seconds }
        set { time = Microseconds(seconds: newValue) }
    }

    /// Seconds from the start to the beginning of the release; 0 where not given.
    public var duration: TimeInterval {
        get { (length ?? 0).seconds }
        set { length = Microseconds(seconds: newValue) }
    }

    /// What sets the event apart from the defaults of the engine: intensity and sharpness always,
    /// since other engines have other defaults; the rest where it differs.
    public var eventParameters: [HapticEventParameter] {
        EventParameterID.allCases.compactMap { id in
            guard let standard = id.defaultValue(for: type) else { return nil }
            let isAlwaysSaid = id == .hapticIntensity || id == .hapticSharpness
            guard isAlwaysSaid || self[id] != standard else { return nil }
            return HapticEventParameter(parameterID: id, value: Float(self[id]))
        }
    }

    private mutating func set(_ parameters: [HapticEventParameter]) {
        for parameter in parameters where parameter.parameterID.applies(to: type) {
            let id = parameter.parameterID
            let value = Double(decimal: parameter.value).limited(to: id.range)
            self[id] = id == .sustained ? (value < 0.5 ? 0 : 1) : value
        }
    }
}

extension Microseconds {
    /// The nearest microsecond; negative for a time that is no number, as nobody can mean it.
    init(seconds: TimeInterval) {
        let time = (seconds * 1_000_000).rounded()
        self = Microseconds(exactly: time) ?? (seconds > 0 ? .max : -1)
    }

    /// In seconds.
    var seconds: TimeInterval { TimeInterval(self) / 1_000_000 }
}

extension Double {
    /// The number that people read in a `Float`: 0.1, not 0.10000000149.
    init(decimal value: Float) { self = Double("\(value)") ?? Double(value) }

    /// The nearest value in a range. What is no number stays none.
    func limited(to range: ClosedRange<Double>) -> Double {
        isNaN ? self : min(max(self, range.lowerBound), range.upperBound)
    }
}
