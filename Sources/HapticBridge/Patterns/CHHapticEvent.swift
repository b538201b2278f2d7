// Events and their parameters, as Core Haptics declares them.

import AHAP
import Foundation

/// A number that an engine gave to a registered sound.
public typealias CHHapticAudioResourceID = Int
/// The type of the keys of a registered sound's options, as Core Haptics has it.
public typealias CHHapticAudioResourceKey = NSString

/// A key of ``HapticEngine/registerAudioResource(_:options:)``: whether volume follows the envelope.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let CHHapticAudioResourceKeyUseVolumeEnvelope = "CHHapticAudioResourceKeyUseVolumeEnvelope"
/// A key of ``HapticEngine/registerAudioResource(_:options:)``: whether the sound repeats.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let CHHapticAudioResourceKeyLoopEnabled = "CHHapticAudioResourceKeyLoopEnabled"

/// A duration for events that play until they are stopped; the name is GameController's.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let GCHapticDurationInfinite: Float = .infinity

/// A parameter of one event. Its `value` may be changed from any thread.
open class CHHapticEventParameter: NSObject, @unchecked Sendable {
    /// What it sets.
    public let parameterID: CHHapticEvent.ParameterID
    private let current: Guarded<Float>

    /// Makes a parameter of an event.
    ///
    /// - Parameters:
    ///   - parameterID: one that does not exist is refused by a pattern.
    ///   - value: outside the range of the parameter, which is 0...1, or -1...1 for pitch and pan, a
    ///     pattern takes it as the nearest value inside.
    public init(parameterID: CHHapticEvent.ParameterID, value: Float) {
        self.parameterID = parameterID
        current = Guarded(value)
    }

    /// The value. A change is without effect on patterns that were made before.
    public var value: Float {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}

/// One event of a pattern. Its times may be changed from any thread, and are without effect on
/// patterns that were made before.
open class CHHapticEvent: NSObject, @unchecked Sendable {
    private struct Times {
        var start: TimeInterval
        var duration: TimeInterval?
    }

    /// The kind of event.
    public let type: EventType
    /// The parameters that it was made with.
    public let eventParameters: [CHHapticEventParameter]
    /// The sound that it was made with.
    private let audioResourceID: CHHapticAudioResourceID?
    private let times: Guarded<Times>

    /// Makes an event without a duration: a transient, or a continuous one that plays until it is
    /// stopped.
    ///
    /// - Parameters:
    ///   - type: one that does not exist is refused by a pattern.
    ///   - eventParams: where one is given twice the last counts; those that the type does not have
    ///     are without effect.
    ///   - time: seconds from the start of the pattern, 0...86,400.
    public init(
        eventType type: EventType, parameters eventParams: [CHHapticEventParameter],
        relativeTime time: TimeInterval
    ) {
        self.type = type
        eventParameters = eventParams
        audioResourceID = nil
        times = Guarded(Times(start: time))
    }

    /// Makes an event with a duration.
    ///
    /// - Parameters:
    ///   - type: one that does not exist is refused by a pattern.
    ///   - eventParams: as in ``init(eventType:parameters:relativeTime:)``.
    ///   - time: seconds from the start of the pattern, 0...86,400.
    ///   - duration: seconds until the release begins, 0...86,400. It does not lengthen a transient. A
    ///     continuous event of 0, of ``GCHapticDurationInfinite`` or of the greatest number of its type
    ///     plays until it is stopped.
    public init(
        eventType type: EventType, parameters eventParams: [CHHapticEventParameter],
        relativeTime time: TimeInterval, duration: TimeInterval
    ) {
        self.type = type
        eventParameters = eventParams
        audioResourceID = nil
        times = Guarded(Times(start: time, duration: duration))
    }

    /// Makes an event that is a sound, which no actuator plays.
    ///
    /// - Parameters:
    ///   - resID: what ``HapticEngine/registerAudioResource(_:options:)`` returned.
    ///   - eventParams: as in ``init(eventType:parameters:relativeTime:)``.
    ///   - time: seconds from the start of the pattern, 0...86,400.
    public init(
        audioResourceID resID: CHHapticAudioResourceID,
        parameters eventParams: [CHHapticEventParameter], relativeTime time: TimeInterval
    ) {
        type = .audioCustom
        eventParameters = eventParams
        audioResourceID = resID
        times = Guarded(Times(start: time))
    }

    /// Makes an event that is a sound of a given length, which no actuator plays.
    ///
    /// - Parameters:
    ///   - resID: what ``HapticEngine/registerAudioResource(_:options:)`` returned.
    ///   - eventParams: as in ``init(eventType:parameters:relativeTime:)``.
    ///   - time: seconds from the start of the pattern, 0...86,400.
    ///   - duration: seconds, 0...86,400.
    public init(
        audioResourceID resID: CHHapticAudioResourceID,
        parameters eventParams: [CHHapticEventParameter], relativeTime time: TimeInterval,
        duration: TimeInterval
    ) {
        type = .audioCustom
        eventParameters = eventParams
        audioResourceID = resID
        times = Guarded(Times(start: time, duration: duration))
    }

    /// The start in seconds from the start of the pattern.
    public var relativeTime: TimeInterval {
        get { times.withLock { $0.start } }
        set { times.withLock { $0.start = newValue } }
    }

    /// Seconds from the start to the beginning of the release; 0 where not given.
    public var duration: TimeInterval {
        get { times.withLock { $0.duration } ?? 0 }
        set { times.withLock { $0.duration = newValue } }
    }

    /// The event as a file says it.
    ///
    /// - Throws: ``HapticError`` `invalidEventType` or `invalidParameterType` for a name that does not
    ///   exist.
    func entry() throws -> AHAPDocument.Entry {
        let times = times.withLock { $0 }
        var event = AHAPDocument.Event(
            try type.known(), time: .init(times.start),
            eventDuration: times.duration.map { .init($0) },
            eventParameters: try eventParameters.map {
                .init(try $0.parameterID.known(), .init(Double(decimal: $0.value)))
            })
        event.audioResourceID = audioResourceID
        return .event(event)
    }
}

extension CHHapticEvent {
    /// The kind of an event, spelled as in an AHAP file (`CHHapticEvent.h`).
    public struct EventType: HapticName {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ type: AHAP.HapticEvent.EventType) { rawValue = type.rawValue }

        /// A tap: short, of fixed length.
        public static let hapticTransient = EventType(.hapticTransient)
        /// A sensation with a duration and an envelope.
        public static let hapticContinuous = EventType(.hapticContinuous)
        /// A synthesised tone, never played here.
        public static let audioContinuous = EventType(.audioContinuous)
        /// A sound file, never played here.
        public static let audioCustom = EventType(.audioCustom)

        func known() throws -> AHAP.HapticEvent.EventType {
            try known(.invalidEventType, "no type of an event")
        }
    }

    /// A parameter of one event, spelled as in an AHAP file (`CHHapticEventParameter.h`).
    public struct ParameterID: HapticName {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ id: EventParameterID) { rawValue = id.rawValue }

        /// Strength of a haptic event, 0...1.
        public static let hapticIntensity = ParameterID(.hapticIntensity)
        /// Sharpness of a haptic event, 0...1.
        public static let hapticSharpness = ParameterID(.hapticSharpness)
        /// Rise of the envelope, an adjuster 0...1.
        public static let attackTime = ParameterID(.attackTime)
        /// Fall of the envelope of an event that is not sustained, an adjuster 0...1.
        public static let decayTime = ParameterID(.decayTime)
        /// Fall of the envelope of a sustained event, an adjuster 0...1.
        public static let releaseTime = ParameterID(.releaseTime)
        /// Whether the event holds its level for its duration, 0 or 1.
        public static let sustained = ParameterID(.sustained)
        /// Loudness of an audio event, 0...1.
        public static let audioVolume = ParameterID(.audioVolume)
        /// Pitch of an audio event, -1...1.
        public static let audioPitch = ParameterID(.audioPitch)
        /// Place of an audio event between left and right, -1...1.
        public static let audioPan = ParameterID(.audioPan)
        /// High-frequency content of an audio-continuous event, 0...1.
        public static let audioBrightness = ParameterID(.audioBrightness)

        func known() throws -> EventParameterID {
            try known(.invalidParameterType, "no parameter of an event")
        }
    }
}

extension HapticName {
    /// The name among those that exist.
    ///
    /// - Throws: ``HapticError`` with a code, for a name that does not exist.
    func known<Known>(_ code: HapticError.Code, _ what: String) throws -> Known
    where Known: CaseIterable & RawRepresentable<String> {
        if let known = Known(rawValue: rawValue) { return known }
        let names = Known.allCases.map(\.rawValue).joined(separator: ", ")
        throw HapticError(code, "\"\(rawValue)\" is \(what); use \(names)")
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
}
