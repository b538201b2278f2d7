// Events and their parameters, with the names that Core Haptics declares.

import AHAP
import Foundation
import HapticBoards
import HapticPatterns
import SerialPorts

/// The number that an engine assigned to a registered sound.
public typealias CHHapticAudioResourceID = Int
/// The type of the keys in the options for a registered sound, as in Core Haptics.
public typealias CHHapticAudioResourceKey = NSString

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A key in the options for ``HapticEngine/registerAudioResource(_:options:)``. Its value is true
/// if the volume follows the envelope of the event.
public let CHHapticAudioResourceKeyUseVolumeEnvelope = "CHHapticAudioResourceKeyUseVolumeEnvelope"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// A key in the options for ``HapticEngine/registerAudioResource(_:options:)``. Its value is true
/// if the sound repeats.
public let CHHapticAudioResourceKeyLoopEnabled = "CHHapticAudioResourceKeyLoopEnabled"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The duration of an event that plays until it is stopped, under the name that GameController
/// uses.
public let GCHapticDurationInfinite: Float = .infinity

/// A parameter of one event. Any thread may change its `value`.
open class CHHapticEventParameter: NSObject, @unchecked Sendable {
    /// The id of the parameter.
    public let parameterID: CHHapticEvent.ParameterID
    private let current: LockedValue<Float>

    /// Creates a parameter of an event.
    ///
    /// - Parameters:
    ///   - parameterID: the parameter to set. A pattern rejects an unknown id.
    ///   - value: the value of the parameter, 0...1, or -1...1 for pitch and pan. A pattern clamps
    ///     a value outside the range.
    public init(parameterID: CHHapticEvent.ParameterID, value: Float) {
        self.parameterID = parameterID
        current = LockedValue(value)
    }

    /// The value of the parameter. Patterns that already contain the parameter ignore a change.
    public var value: Float {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}

/// An event of a pattern. Any thread may change its times. Patterns that already contain the event
/// ignore a change.
open class CHHapticEvent: NSObject, @unchecked Sendable {
    private struct Times {
        var start: TimeInterval
        var duration: TimeInterval?
    }

    /// The kind of event.
    public let type: EventType
    /// The parameters that were passed to the initializer.
    public let eventParameters: [CHHapticEventParameter]
    /// The sound that was passed to the initializer.
    private let audioResourceID: CHHapticAudioResourceID?
    private let times: LockedValue<Times>

    /// Creates an event without a duration: either a transient event or a continuous event that
    /// plays until it is stopped.
    ///
    /// - Parameters:
    ///   - type: the type of the event. A pattern rejects an unknown type.
    ///   - eventParams: the parameters of the event. If a parameter occurs twice, the last value
    ///     applies. Parameters that do not apply to events of this type are ignored.
    ///   - time: the start of the event, in seconds from the start of the pattern, 0...86,400.
    public init(
        eventType type: EventType, parameters eventParams: [CHHapticEventParameter],
        relativeTime time: TimeInterval
    ) {
        self.type = type
        eventParameters = eventParams
        audioResourceID = nil
        times = LockedValue(Times(start: time))
    }

    /// Creates an event with a duration.
    ///
    /// - Parameters:
    ///   - type: the type of the event. A pattern rejects an unknown type.
    ///   - eventParams: the parameters, as in ``init(eventType:parameters:relativeTime:)``.
    ///   - time: the start of the event, in seconds from the start of the pattern, 0...86,400.
    ///   - duration: the time from the start to the release, in seconds, 0...86,400. The duration
    ///     of a transient event is ignored. A continuous event plays until it is stopped if its
    ///     duration is 0, ``GCHapticDurationInfinite`` or the greatest finite value.
    public init(
        eventType type: EventType, parameters eventParams: [CHHapticEventParameter],
        relativeTime time: TimeInterval, duration: TimeInterval
    ) {
        self.type = type
        eventParameters = eventParams
        audioResourceID = nil
        times = LockedValue(Times(start: time, duration: duration))
    }

    /// Creates an event that plays a sound. Actuators do not play this event.
    ///
    /// - Parameters:
    ///   - resID: the number that ``HapticEngine/registerAudioResource(_:options:)`` returned.
    ///   - eventParams: the parameters, as in ``init(eventType:parameters:relativeTime:)``.
    ///   - time: the start of the event, in seconds from the start of the pattern, 0...86,400.
    public init(
        audioResourceID resID: CHHapticAudioResourceID,
        parameters eventParams: [CHHapticEventParameter], relativeTime time: TimeInterval
    ) {
        type = .audioCustom
        eventParameters = eventParams
        audioResourceID = resID
        times = LockedValue(Times(start: time))
    }

    /// Creates an event that plays a sound for `duration` seconds. Actuators do not play this
    /// event.
    ///
    /// - Parameters:
    ///   - resID: the number that ``HapticEngine/registerAudioResource(_:options:)`` returned.
    ///   - eventParams: the parameters, as in ``init(eventType:parameters:relativeTime:)``.
    ///   - time: the start of the event, in seconds from the start of the pattern, 0...86,400.
    ///   - duration: the length of the sound in seconds, 0...86,400.
    public init(
        audioResourceID resID: CHHapticAudioResourceID,
        parameters eventParams: [CHHapticEventParameter], relativeTime time: TimeInterval,
        duration: TimeInterval
    ) {
        type = .audioCustom
        eventParameters = eventParams
        audioResourceID = resID
        times = LockedValue(Times(start: time, duration: duration))
    }

    /// The start of the event, in seconds from the start of the pattern.
    public var relativeTime: TimeInterval {
        get { times.withLock { $0.start } }
        set { times.withLock { $0.start = newValue } }
    }

    /// The time from the start of the event to its release, in seconds; 0 if the event was created
    /// without a duration.
    public var duration: TimeInterval {
        get { times.withLock { $0.duration } ?? 0 }
        set { times.withLock { $0.duration = newValue } }
    }

    /// Returns the event as an entry of an AHAP document.
    ///
    /// - Throws: ``HapticError`` `invalidEventType` or `invalidParameterType` for an unknown name.
    func entry() throws(HapticError) -> AHAPDocument.Entry {
        let times = times.withLock { $0 }
        var event = AHAPDocument.Event(
            try type.known(), time: .init(times.start),
            eventDuration: times.duration.map { .init($0) },
            eventParameters: try eventParameters.map { parameter throws(HapticError) in
                .init(try parameter.parameterID.known(), .init(Double(decimal: parameter.value)))
            })
        event.audioResourceID = audioResourceID
        return .event(event)
    }
}

extension CHHapticEvent {
    /// The type of an event, spelled as in an AHAP file (`CHHapticEvent.h`).
    public struct EventType: HapticName {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ type: HapticPatterns.HapticEvent.EventType) { rawValue = type.rawValue }

        /// A short tap of fixed length.
        public static let hapticTransient = EventType(.hapticTransient)
        /// A vibration with a duration and an envelope.
        public static let hapticContinuous = EventType(.hapticContinuous)
        /// A synthesized tone. The computer plays it if the program has called
        /// `HapticSound.install()`.
        public static let audioContinuous = EventType(.audioContinuous)
        /// A sound file. The computer plays it if the program has called `HapticSound.install()`.
        public static let audioCustom = EventType(.audioCustom)

        func known() throws(HapticError) -> HapticPatterns.HapticEvent.EventType {
            try known(.invalidEventType, "not an event type")
        }
    }

    /// The id of an event parameter, spelled as in an AHAP file (`CHHapticEventParameter.h`).
    public struct ParameterID: HapticName {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ id: EventParameterID) { rawValue = id.rawValue }

        /// The strength of a haptic event, 0...1.
        public static let hapticIntensity = ParameterID(.hapticIntensity)
        /// The sharpness of a haptic event, 0...1.
        public static let hapticSharpness = ParameterID(.hapticSharpness)
        /// The attack adjuster, 0...1, which sets how long the envelope rises.
        public static let attackTime = ParameterID(.attackTime)
        /// The decay adjuster, 0...1, which sets how long the envelope of an event that is not
        /// sustained falls.
        public static let decayTime = ParameterID(.decayTime)
        /// The release adjuster, 0...1, which sets how long the envelope of a sustained event
        /// falls.
        public static let releaseTime = ParameterID(.releaseTime)
        /// The sustain flag: 1 if the level of the event remains constant for its duration,
        /// otherwise 0.
        public static let sustained = ParameterID(.sustained)
        /// The loudness of an audio event, 0...1.
        public static let audioVolume = ParameterID(.audioVolume)
        /// The pitch of an audio event, -1...1.
        public static let audioPitch = ParameterID(.audioPitch)
        /// The position of an audio event between left and right, -1...1.
        public static let audioPan = ParameterID(.audioPan)
        /// The amount of high-frequency content of an audio-continuous event, 0...1.
        public static let audioBrightness = ParameterID(.audioBrightness)

        func known() throws(HapticError) -> EventParameterID {
            try known(.invalidParameterType, "not an event parameter")
        }
    }
}

extension HapticName {
    /// Returns the name if it is among the known names.
    ///
    /// - Throws: ``HapticError`` with the given code for an unknown name.
    func known<Known>(_ code: HapticError.Code, _ what: String) throws(HapticError) -> Known
    where Known: CaseIterable & RawRepresentable<String> {
        if let known = Known(rawValue: rawValue) { return known }
        let names = Known.allCases.map(\.rawValue).joined(separator: ", ")
        throw HapticError(code, "\"\(rawValue)\" is \(what); use \(names)")
    }
}

extension Double {
    /// Converts a `Float` to the `Double` with the same shortest decimal form: 0.1 instead of
    /// 0.10000000149.
    init(decimal value: Float) { self = Double("\(value)") ?? Double(value) }
}
