// AHAPDocument: the content of an AHAP file in Apple's terms, that is, every known key with its
// value in the file, before defaults and limits are applied. If a document is read and written
// again, only the unknown keys are lost.

import HapticPatterns
import JSONText

/// The content of an AHAP file.
public struct AHAPDocument: Sendable, Equatable {
    /// `Version`: the lowest version of Core Haptics that supports the file; 1 if absent.
    public var version: Number?
    /// `Metadata`: the author's notes, which have no effect on playback.
    public var metadata: JSONValue?
    /// `Pattern`: the entries in the order in which the file contains them.
    public var pattern: [Entry]

    /// Creates a document.
    public init(version: Number? = 1, metadata: JSONValue? = nil, pattern: [Entry]) {
        self.version = version
        self.metadata = metadata
        self.pattern = pattern
    }

    /// Returns the text stored under a key of `Metadata`; nil if `Metadata` has no such text.
    public func note(_ key: String) -> String? {
        guard case .object(let notes)? = metadata?.kind, case .string(let text)? = notes[key]?.kind
        else { return nil }
        return text
    }

    /// One entry of `Pattern`.
    public enum Entry: Sendable, Equatable {
        /// An `Event` entry.
        case event(Event)
        /// A `Parameter` entry.
        case parameter(Parameter)
        /// A `ParameterCurve` entry.
        case parameterCurve(ParameterCurve)
    }

    /// A number as written in the file. Times are in seconds.
    public struct Number: Sendable, Equatable, ExpressibleByFloatLiteral,
        ExpressibleByIntegerLiteral
    {
        /// The value of the number.
        public var value: Double
        /// The location of the number in the file; ignored by comparisons.
        @NotCompared public var location: SourceLocation?

        /// Creates a number, with its location if the number was read from a file.
        public init(_ value: Double, location: SourceLocation? = nil) {
            self.value = value
            self.location = location
        }

        /// Creates a number that was not read from a file.
        public init(floatLiteral value: Double) { self.init(value) }

        /// Creates a number that was not read from a file.
        public init(integerLiteral value: Int) { self.init(Double(value)) }
    }
}

extension AHAPDocument {
    /// An `Event` object.
    public struct Event: Sendable, Equatable {
        /// `EventType`: the kind of event.
        public var eventType: HapticEvent.EventType
        /// `Time`, in seconds; 0 if absent.
        public var time: Number?
        /// `EventDuration`, in seconds. Infinity and the greatest finite `Float` or `Double` mean
        /// that the event has no duration.
        public var eventDuration: Number?
        /// `EventParameters`; empty if absent.
        public var eventParameters: [EventParameter]
        /// `EventWaveformPath`, relative to the file.
        public var eventWaveformPath: String?
        /// `EventWaveformUseVolumeEnvelope`; true if absent.
        public var eventWaveformUseVolumeEnvelope: Bool?
        /// `EventWaveformLoopEnabled`; false if absent.
        public var eventWaveformLoopEnabled: Bool?
        /// The identifier of a sound that an app has registered, used instead of a path. Files
        /// never contain such an identifier.
        public var audioResourceID: Int?
        /// The location of the opening brace of the event's object; ignored by comparisons.
        @NotCompared public var location: SourceLocation?

        /// Creates an event.
        public init(
            _ eventType: HapticEvent.EventType, time: Number? = nil, eventDuration: Number? = nil,
            eventParameters: [EventParameter] = [], location: SourceLocation? = nil
        ) {
            self.eventType = eventType
            self.time = time
            self.eventDuration = eventDuration
            self.eventParameters = eventParameters
            self.location = location
        }
    }

    /// One element of `EventParameters`.
    public struct EventParameter: Sendable, Equatable {
        /// `ParameterID`: the parameter to set.
        public var parameterID: EventParameterID
        /// `ParameterValue`; the parameter's default if absent.
        public var parameterValue: Number?
        /// The location of the opening brace of the parameter's object; ignored by comparisons.
        @NotCompared public var location: SourceLocation?

        /// Creates an event parameter.
        public init(
            _ parameterID: EventParameterID, _ parameterValue: Number?,
            location: SourceLocation? = nil
        ) {
            self.parameterID = parameterID
            self.parameterValue = parameterValue
            self.location = location
        }
    }

    /// A `Parameter` object: an abrupt change of one parameter that affects the whole pattern.
    public struct Parameter: Sendable, Equatable {
        /// `ParameterID`: the parameter that changes.
        public var parameterID: DynamicParameterID
        /// `Time`, in seconds; 0 if absent.
        public var time: Number?
        /// `ParameterValue`; the parameter's default if absent.
        public var parameterValue: Number?
        /// The location of the opening brace of the parameter's object; ignored by comparisons.
        @NotCompared public var location: SourceLocation?

        /// Creates a parameter change.
        public init(
            _ parameterID: DynamicParameterID, time: Number? = nil, _ parameterValue: Number?,
            location: SourceLocation? = nil
        ) {
            self.parameterID = parameterID
            self.time = time
            self.parameterValue = parameterValue
            self.location = location
        }
    }

    /// A `ParameterCurve` object: a gradual change, along control points, of one parameter that
    /// affects the whole pattern.
    public struct ParameterCurve: Sendable, Equatable {
        /// `ParameterID`: the parameter that changes.
        public var parameterID: DynamicParameterID
        /// `Time`, in seconds from the start of the pattern; 0 if absent.
        public var time: Number?
        /// `ParameterCurveControlPoints`; empty if absent.
        public var controlPoints: [ControlPoint]
        /// The location of the opening brace of the curve's object; ignored by comparisons.
        @NotCompared public var location: SourceLocation?

        /// Creates a curve.
        public init(
            _ parameterID: DynamicParameterID, time: Number? = nil, controlPoints: [ControlPoint],
            location: SourceLocation? = nil
        ) {
            self.parameterID = parameterID
            self.time = time
            self.controlPoints = controlPoints
            self.location = location
        }
    }

    /// One element of `ParameterCurveControlPoints`.
    public struct ControlPoint: Sendable, Equatable {
        /// `Time`, in seconds; 0 if absent. According to AHAP-doc, the time is relative to the
        /// start of the curve.
        public var time: Number?
        /// `ParameterValue`; the parameter's default if absent.
        public var parameterValue: Number?
        /// The location of the opening brace of the point's object; ignored by comparisons.
        @NotCompared public var location: SourceLocation?

        /// Creates a control point.
        public init(time: Number?, _ parameterValue: Number?, location: SourceLocation? = nil) {
            self.time = time
            self.parameterValue = parameterValue
            self.location = location
        }
    }
}

/// The keys of an AHAP file (`CHHapticPattern.h`).
enum AHAPKey: String, CaseIterable {
    case version = "Version"
    case pattern = "Pattern"
    case metadata = "Metadata"
    case event = "Event"
    case eventType = "EventType"
    case eventDuration = "EventDuration"
    case eventParameters = "EventParameters"
    case eventWaveformPath = "EventWaveformPath"
    case eventWaveformUseVolumeEnvelope = "EventWaveformUseVolumeEnvelope"
    case eventWaveformLoopEnabled = "EventWaveformLoopEnabled"
    case time = "Time"
    case parameter = "Parameter"
    case parameterID = "ParameterID"
    case parameterValue = "ParameterValue"
    case parameterCurve = "ParameterCurve"
    case controlPoints = "ParameterCurveControlPoints"
}
