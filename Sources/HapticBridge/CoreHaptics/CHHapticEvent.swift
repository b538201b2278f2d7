// Events and their parameters, as Core Haptics declares them.

import AHAP
import Foundation
import HapticBoards
import HapticPatterns
import SerialPorts

/// The number that an engine has given to a registered sound.
public typealias CHHapticAudioResourceID = Int
/// The type of the option keys of a registered sound, as in Core Haptics.
public typealias CHHapticAudioResourceKey = NSString

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A key of the options of ``HapticEngine/registerAudioResource(_:options:)``: whether the volume
/// follows the envelope.
public let CHHapticAudioResourceKeyUseVolumeEnvelope = "CHHapticAudioResourceKeyUseVolumeEnvelope"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// A key of the options of ``HapticEngine/registerAudioResource(_:options:)``: whether the sound
/// repeats.
public let CHHapticAudioResourceKeyLoopEnabled = "CHHapticAudioResourceKeyLoopEnabled"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The duration of events that play until they are stopped, under its GameController name.
public let GCHapticDurationInfinite: Float = .infinity

/// A parameter of one event. Its `value` may be changed from any thread.
open class CHHapticEventParameter: NSObject, @unchecked Sendable {
    /// The id of the parameter that is set.
    public let parameterID: CHHapticEvent.ParameterID
    private let current: LockedValue<Float>

    /// Makes a parameter of an event.
    ///
    /// - Parameters:
    ///   - parameterID: the parameter to set. A pattern refuses an id that does not exist.
    ///   - value: the value, within the range of the parameter, which is 0...1, or -1...1 for pitch
    ///     and pan. A pattern moves a value outside the range to its nearest end.
    public init(parameterID: CHHapticEvent.ParameterID, value: Float) {
        self.parameterID = parameterID
        current = LockedValue(value)
    }

    /// The value of the parameter. A change has no effect on patterns that were made before.
    public var value: Float {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}

/// An event of a pattern. Its times may be changed from any thread; a change has no effect on
/// patterns that were made before.
open class CHHapticEvent: NSObject, @unchecked Sendable {
    private struct Times {
        var start: TimeInterval
        var duration: TimeInterval?
    }

    /// The kind of event.
    public let type: EventType
    /// The parameters that the event was made with.
    public let eventParameters: [CHHapticEventParameter]
    /// The sound that the event was made with.
    private let audioResourceID: CHHapticAudioResourceID?
    private let times: LockedValue<Times>

    /// Makes an event without a duration: a transient, or a continuous event that plays until it is
    /// stopped.
    ///
    /// - Parameters:
    ///   - type: the type of the event. A pattern refuses a type that does not exist.
    ///   - eventParams: the parameters of the event. If one is given twice, the last one counts;
    ///     parameters that the type does not have are without effect.
    ///   - time: the start in seconds from the start of the pattern, 0...86,400.
    public init(
        eventType type: EventType, parameters eventParams: [CHHapticEventParameter],
        relativeTime time: TimeInterval
    ) {
        self.type = type
        eventParameters = eventParams
        audioResourceID = nil
        times = LockedValue(Times(start: time))
    }

    /// Makes an event with a duration.
    ///
    /// - Parameters:
    ///   - type: the type of the event. A pattern refuses a type that does not exist.
    ///   - eventParams: the parameters, as in ``init(eventType:parameters:relativeTime:)``.
    ///   - time: the start in seconds from the start of the pattern, 0...86,400.
    ///   - duration: the time until the release begins in seconds, 0...86,400. It does not lengthen
    ///     a transient. A continuous event with a duration of 0, ``GCHapticDurationInfinite`` or
    ///     the greatest number of its type plays until it is stopped.
    public init(
        eventType type: EventType, parameters eventParams: [CHHapticEventParameter],
        relativeTime time: TimeInterval, duration: TimeInterval
    ) {
        self.type = type
        eventParameters = eventParams
        audioResourceID = nil
        times = LockedValue(Times(start: time, duration: duration))
    }

    /// Makes an event that is a sound, which no actuator plays.
    ///
    /// - Parameters:
    ///   - resID: the number that ``HapticEngine/registerAudioResource(_:options:)`` returned.
    ///   - eventParams: the parameters, as in ``init(eventType:parameters:relativeTime:)``.
    ///   - time: the start in seconds from the start of the pattern, 0...86,400.
    public init(
        audioResourceID resID: CHHapticAudioResourceID,
        parameters eventParams: [CHHapticEventParameter], relativeTime time: TimeInterval
    ) {
        type = .audioCustom
        eventParameters = eventParams
        audioResourceID = resID
        times = LockedValue(Times(start: time))
    }

    /// Makes an event that is a sound of a given length, which no actuator plays.
    ///
    /// - Parameters:
    ///   - resID: the number that ``HapticEngine/registerAudioResource(_:options:)`` returned.
    ///   - eventParams: the parameters, as in ``init(eventType:parameters:relativeTime:)``.
    ///   - time: the start in seconds from the start of the pattern, 0...86,400.
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

    /// The time from the start to the beginning of the release, in seconds; 0 if none was given.
    public var duration: TimeInterval {
        get { times.withLock { $0.duration } ?? 0 }
        set { times.withLock { $0.duration = newValue } }
    }

    /// Returns the event as an entry of an AHAP document.
    ///
    /// - Throws: ``HapticError`` `invalidEventType` or `invalidParameterType` for a name that does
    ///   not exist.
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
    /// The kind of an event, spelled as in an AHAP file (`CHHapticEvent.h`).
    public struct EventType: HapticName {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ type: HapticPatterns.HapticEvent.EventType) { rawValue = type.rawValue }

        /// A tap, which is short and of fixed length.
        public static let hapticTransient = EventType(.hapticTransient)
        /// A sensation with a duration and an envelope.
        public static let hapticContinuous = EventType(.hapticContinuous)
        /// A synthesised tone, heard from the computer if the program has installed sound.
        public static let audioContinuous = EventType(.audioContinuous)
        /// A sound file, heard from the computer if the program has installed sound.
        public static let audioCustom = EventType(.audioCustom)

        func known() throws(HapticError) -> HapticPatterns.HapticEvent.EventType {
            try known(.invalidEventType, "no type of an event")
        }
    }

    /// A parameter of one event, spelled as in an AHAP file (`CHHapticEventParameter.h`).
    public struct ParameterID: HapticName {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ id: EventParameterID) { rawValue = id.rawValue }

        /// The strength of a haptic event, 0...1.
        public static let hapticIntensity = ParameterID(.hapticIntensity)
        /// The sharpness of a haptic event, 0...1.
        public static let hapticSharpness = ParameterID(.hapticSharpness)
        /// The rise of the envelope, as an adjuster, 0...1.
        public static let attackTime = ParameterID(.attackTime)
        /// The fall of the envelope of an event that is not sustained, as an adjuster, 0...1.
        public static let decayTime = ParameterID(.decayTime)
        /// The fall of the envelope of a sustained event, as an adjuster, 0...1.
        public static let releaseTime = ParameterID(.releaseTime)
        /// True if the event holds its level for its duration, 0 or 1.
        public static let sustained = ParameterID(.sustained)
        /// The loudness of an audio event, 0...1.
        public static let audioVolume = ParameterID(.audioVolume)
        /// The pitch of an audio event, -1...1.
        public static let audioPitch = ParameterID(.audioPitch)
        /// The position of an audio event between left and right, -1...1.
        public static let audioPan = ParameterID(.audioPan)
        /// The high-frequency content of an audio-continuous event, 0...1.
        public static let audioBrightness = ParameterID(.audioBrightness)

        func known() throws(HapticError) -> EventParameterID {
            try known(.invalidParameterType, "no parameter of an event")
        }
    }
}

extension HapticName {
    /// Returns the existing name with this spelling.
    ///
    /// - Throws: ``HapticError`` with the given code if there is no such name.
    func known<Known>(_ code: HapticError.Code, _ what: String) throws(HapticError) -> Known
    where Known: CaseIterable & RawRepresentable<String> {
        if let known = Known(rawValue: rawValue) { return known }
        let names = Known.allCases.map(\.rawValue).joined(separator: ", ")
        throw HapticError(code, "\"\(rawValue)\" is \(what); use \(names)")
    }
}

extension Double {
    /// Makes the number that people read in a `Float`: 0.1, not 0.10000000149.
    init(decimal value: Float) { self = Double("\(value)") ?? Double(value) }
}
