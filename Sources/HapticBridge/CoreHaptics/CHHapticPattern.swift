// Patterns with the names that Core Haptics declares, created from events, files and dictionaries.

import AHAP
import Foundation
import HapticBoards
import HapticPatterns
import JSONText

/// A pattern of haptic and audio events.
///
/// Every source of a pattern (events, a dictionary or a file) is converted to AHAP content. The
/// same reader parses all content, so equal content always yields the same pattern.
open class CHHapticPattern: NSObject, @unchecked Sendable {
    /// The original content of the pattern, for ``exportDictionary()``.
    let document: AHAPDocument
    /// The parsed pattern in the value types of the module `HapticPatterns`, which the compiler
    /// accepts.
    public let value: HapticPattern
    /// The AHAP file, whose folder contains the sounds of the pattern; nil if the pattern was not
    /// read from a file.
    let file: URL?

    /// Creates a pattern from events and dynamic parameters, in any order.
    ///
    /// - Throws: ``HapticError`` with the code of the first invalid part: `invalidEventType`,
    ///   `invalidParameterType`, `invalidEventTime`, `invalidEventDuration`, `invalidTime` or
    ///   `badParameterEntry`.
    public init(events: [CHHapticEvent], parameters: [CHHapticDynamicParameter]) throws {
        let entries =
            try events.map { event throws(HapticError) in try event.entry() }
            + parameters.map { parameter throws(HapticError) in try parameter.entry() }
        let reading = try AHAPReader.reading(entries)
        (document, value, file) = (reading.document, reading.pattern, nil)
    }

    /// Creates a pattern from events and parameter curves, in any order.
    ///
    /// - Throws: the errors of ``init(events:parameters:)``.
    public init(events: [CHHapticEvent], parameterCurves: [CHHapticParameterCurve]) throws {
        let entries =
            try events.map { event throws(HapticError) in try event.entry() }
            + parameterCurves.map { curve throws(HapticError) in try curve.entry() }
        let reading = try AHAPReader.reading(entries)
        (document, value, file) = (reading.document, reading.pattern, nil)
    }

    /// Creates a pattern from a dictionary with the content of an AHAP file.
    ///
    /// - Parameter patternDict: the dictionary. Its keys are ``Key`` values or the equivalent
    ///   strings. Its values are numbers, strings, event types, parameter ids, arrays and
    ///   dictionaries. As in a file, unknown keys and parameters are ignored, and values outside
    ///   their range are clamped.
    /// - Throws: ``HapticError`` `invalidPatternDictionary`, or the code that describes the invalid
    ///   part.
    public init(dictionary patternDict: [Key: Any]) throws {
        let reading = try AHAPReader.reading(JSONValue(dictionary: patternDict))
        (document, value, file) = (reading.document, reading.pattern, nil)
    }

    /// Creates a pattern from the dictionary with string keys that Foundation's `JSONSerialization`
    /// reads from an AHAP file.
    ///
    /// - Throws: the errors of the initializer for a dictionary with keys of type ``Key``.
    @_disfavoredOverload
    public init(dictionary patternDict: [String: Any]) throws {
        let reading = try AHAPReader.reading(JSONValue(dictionary: patternDict))
        (document, value, file) = (reading.document, reading.pattern, nil)
    }

    /// Reads an AHAP file. The sound files that the pattern names are read when a player is
    /// created.
    ///
    /// As in Core Haptics, the times of control points are relative to the start of their curve.
    /// The limits are 16 MB, 100,000 events, parameters and curves together, and 100,000 control
    /// points.
    ///
    /// - Throws: ``HapticError`` `fileNotFound`, or the reader's error with its line and column.
    public init(contentsOf ahapURL: URL) throws {
        let reading = try AHAPReader.reading(contentsOf: ahapURL)
        (document, value, file) = (reading.document, reading.pattern, ahapURL)
    }

    /// Creates a pattern from the result of the AHAP reader. The times of control points are
    /// relative to the start of their curve.
    ///
    /// - Parameters:
    ///   - reading: the result of the AHAP reader.
    ///   - file: the file, whose folder contains the sounds of the pattern; nil if there is no
    ///     file.
    public init(_ reading: AHAPReader.Result, file: URL? = nil) {
        (document, value, self.file) = (reading.document, reading.pattern, file)
    }

    /// The latest end of all events, parameters and curves, in seconds. An event without an end is
    /// considered to end when it starts.
    public var duration: TimeInterval { value.length.seconds }
}

extension AHAPReader {
    /// Reads entries that were not read from a file.
    ///
    /// - Throws: ``HapticError`` with the reader's error and the name of the invalid entry.
    static func reading(_ entries: [AHAPDocument.Entry]) throws(HapticError) -> Result {
        do throws(AHAPError) {
            return try read(AHAPDocument(pattern: entries))
        } catch {
            let refused = entries.firstIndex { (try? read(AHAPDocument(pattern: [$0]))) == nil }
            let prefix = refused.map { "\(AHAPDocument.name(of: $0, in: entries)): " } ?? ""
            throw HapticError(error, "\(prefix)\(error.message); \(error.advice)")
        }
    }

    /// Reads a JSON value that was created by code instead of being read from a file.
    static func reading(_ json: JSONValue) throws(HapticError) -> Result {
        try reading { () throws(AHAPError) in try read(json) }
    }

    /// Reads the bytes of an AHAP file.
    static func reading(_ data: Data) throws(HapticError) -> Result {
        guard !data.isEmpty else {
            throw HapticError(.invalidPatternData, "the AHAP data is empty")
        }
        return try reading { () throws(AHAPError) in try read(Array(data)) }
    }

    /// Reads an AHAP file.
    static func reading(contentsOf ahapURL: URL) throws(HapticError) -> Result {
        guard FileManager.default.fileExists(atPath: ahapURL.path) else {
            throw HapticError(.fileNotFound, "\(ahapURL.path): no such file")
        }
        try checkSize(of: ahapURL)
        let data: Data
        do {
            data = try Data(contentsOf: ahapURL)
        } catch {
            throw HapticError(.invalidPatternData, "\(ahapURL.path): cannot be read: \(error)")
        }
        return try reading(data)
    }

    /// Rejects a file that is larger than the reader accepts, before the file is loaded into
    /// memory.
    private static func checkSize(of ahapURL: URL) throws(HapticError) {
        let most = Options().mostBytes
        let attributes = try? FileManager.default.attributesOfItem(atPath: ahapURL.path)
        guard let size = attributes?[.size] as? Int, size > most else { return }
        throw HapticError(
            .invalidPatternData,
            "\(ahapURL.path): the file has \(size) bytes; the limit is \(most) bytes")
    }

    private static func reading(_ read: () throws(AHAPError) -> Result) throws(HapticError)
        -> Result
    {
        do {
            return try read()
        } catch {
            throw HapticError(error, error.description)
        }
    }
}

extension AHAPDocument {
    /// Returns the name of an entry for messages: its kind, and its index among the entries of that
    /// kind, which is its index in the app's own array.
    fileprivate static func name(of index: Int, in entries: [Entry]) -> String {
        let kind = entries[index].kind
        return "\(kind)[\(entries[..<index].count { $0.kind == kind })]"
    }
}

extension AHAPDocument.Entry {
    fileprivate var kind: String {
        switch self {
        case .event: "events"
        case .parameter: "parameters"
        case .parameterCurve: "parameterCurves"
        }
    }
}

extension HapticEvent {
    /// Checks that an audio-custom event names a sound. The sound file need not exist.
    ///
    /// - Parameter isRegistered: a closure that returns whether the engine has a sound with a given
    ///   number.
    func checkSound(isRegistered: (CHHapticAudioResourceID) -> Bool) throws(HapticError) {
        guard type == .audioCustom else { return }
        if let id = audio?.resourceID {
            guard isRegistered(id) else {
                throw HapticError(
                    .invalidAudioResource, "sound \(id) is not registered with this engine")
            }
        } else if audio?.waveformPath?.isEmpty ?? true {
            throw HapticError.soundWithoutName
        }
    }
}

extension AHAPError: DescribedError {}

extension HapticError {
    /// Creates an error from an error that the AHAP reader has thrown, with a message that includes
    /// the location.
    package init(_ error: AHAPError, _ message: String) {
        self.init(Code(rawValue: error.code.rawValue) ?? .unknownError, message)
    }
}
