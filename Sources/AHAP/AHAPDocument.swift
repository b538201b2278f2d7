// An AHAP file as Apple spells it: every known key with the value that the file gives, before
// defaults, limits and meaning. Reading, then writing, a document loses nothing but unknown keys.

/// The content of an AHAP file.
public struct AHAPDocument: Sendable, Equatable {
    /// `Version`: the lowest version of Core Haptics that understands the file; 1 where absent.
    public var version: Number?
    /// `Metadata`: anything the author noted; without effect.
    public var metadata: JSONValue?
    /// `Pattern`: the entries in the order of the file.
    public var pattern: [Entry]

    /// Makes a document.
    public init(version: Number? = 1, metadata: JSONValue? = nil, pattern: [Entry]) {
        self.version = version
        self.metadata = metadata
        self.pattern = pattern
    }

    /// One entry of `Pattern`.
    public enum Entry: Sendable, Equatable {
        /// `Event`.
        case event(Event)
        /// `Parameter`.
        case parameter(Parameter)
        /// `ParameterCurve`.
        case parameterCurve(ParameterCurve)
    }

    /// A number as the file gives it, in seconds where it is a time.
    public struct Number: Sendable, Equatable, ExpressibleByFloatLiteral,
        ExpressibleByIntegerLiteral
    {
        /// The value.
        public var value: Double
        /// Where it stands; not compared.
        @NotCompared public var place: SourcePlace?

        /// Makes a number.
        public init(_ value: Double, place: SourcePlace? = nil) {
            self.value = value
            self.place = place
        }

        /// Makes a number that stands in no file.
        public init(floatLiteral value: Double) { self.init(value) }

        /// Makes a number that stands in no file.
        public init(integerLiteral value: Int) { self.init(Double(value)) }
    }
}

extension AHAPDocument {
    /// `Event`.
    public struct Event: Sendable, Equatable {
        /// `EventType`.
        public var eventType: HapticEvent.EventType
        /// `Time`, in seconds; 0 where absent.
        public var time: Number?
        /// `EventDuration`, in seconds; one that is infinite, or as great as a number can be, is none.
        public var eventDuration: Number?
        /// `EventParameters`; empty where absent.
        public var eventParameters: [EventParameter]
        /// `EventWaveformPath`, relative to the file.
        public var eventWaveformPath: String?
        /// `EventWaveformUseVolumeEnvelope`; true where absent.
        public var eventWaveformUseVolumeEnvelope: Bool?
        /// `EventWaveformLoopEnabled`; false where absent.
        public var eventWaveformLoopEnabled: Bool?
        /// The number of a sound that an app registered, in place of a path; in no file.
        public var audioResourceID: Int?
        /// Where the event's object opens; not compared.
        @NotCompared public var place: SourcePlace?

        /// Makes an event.
        public init(
            _ eventType: HapticEvent.EventType, time: Number? = nil, eventDuration: Number? = nil,
            eventParameters: [EventParameter] = [], place: SourcePlace? = nil
        ) {
            self.eventType = eventType
            self.time = time
            self.eventDuration = eventDuration
            self.eventParameters = eventParameters
            self.place = place
        }
    }

    /// One element of `EventParameters`.
    public struct EventParameter: Sendable, Equatable {
        /// `ParameterID`.
        public var parameterID: EventParameterID
        /// `ParameterValue`; the parameter's default where absent.
        public var parameterValue: Number?
        /// Where the parameter's object opens; not compared.
        @NotCompared public var place: SourcePlace?

        /// Makes a parameter of an event.
        public init(
            _ parameterID: EventParameterID, _ parameterValue: Number?, place: SourcePlace? = nil
        ) {
            self.parameterID = parameterID
            self.parameterValue = parameterValue
            self.place = place
        }
    }

    /// `Parameter`: an abrupt change of the whole pattern.
    public struct Parameter: Sendable, Equatable {
        /// `ParameterID`.
        public var parameterID: DynamicParameterID
        /// `Time`, in seconds; 0 where absent.
        public var time: Number?
        /// `ParameterValue`; the parameter's default where absent.
        public var parameterValue: Number?
        /// Where the parameter's object opens; not compared.
        @NotCompared public var place: SourcePlace?

        /// Makes a parameter change.
        public init(
            _ parameterID: DynamicParameterID, time: Number? = nil, _ parameterValue: Number?,
            place: SourcePlace? = nil
        ) {
            self.parameterID = parameterID
            self.time = time
            self.parameterValue = parameterValue
            self.place = place
        }
    }

    /// `ParameterCurve`: a change of the whole pattern from point to point.
    public struct ParameterCurve: Sendable, Equatable {
        /// `ParameterID`.
        public var parameterID: DynamicParameterID
        /// `Time`, in seconds from the start of the pattern; 0 where absent.
        public var time: Number?
        /// `ParameterCurveControlPoints`; empty where absent.
        public var controlPoints: [ControlPoint]
        /// Where the curve's object opens; not compared.
        @NotCompared public var place: SourcePlace?

        /// Makes a curve.
        public init(
            _ parameterID: DynamicParameterID, time: Number? = nil, controlPoints: [ControlPoint],
            place: SourcePlace? = nil
        ) {
            self.parameterID = parameterID
            self.time = time
            self.controlPoints = controlPoints
            self.place = place
        }
    }

    /// One element of `ParameterCurveControlPoints`.
    public struct ControlPoint: Sendable, Equatable {
        /// `Time`, in seconds; by AHAP-doc from the start of the curve. 0 where absent.
        public var time: Number?
        /// `ParameterValue`; the parameter's default where absent.
        public var parameterValue: Number?
        /// Where the point's object opens; not compared.
        @NotCompared public var place: SourcePlace?

        /// Makes a control point.
        public init(time: Number?, _ parameterValue: Number?, place: SourcePlace? = nil) {
            self.time = time
            self.parameterValue = parameterValue
            self.place = place
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
