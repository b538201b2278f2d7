// StudioRequest: the requests from the page to the tool.

import JSONText

/// An edit that the page makes to a document: a JSON Patch operation (RFC 6902).
struct StudioEdit: Sendable, Equatable {
    var edit: JSONEdit

    init(_ edit: JSONEdit) { self.edit = edit }
}

/// An interval of the pattern, and the options for playing it.
struct StudioPlayback: Sendable, Equatable {
    /// The start of the interval, in seconds.
    var start: Double
    /// The end of the interval, in seconds; nil to play until the end of the pattern.
    var end: Double?
    /// True if the interval is repeated until the playback is stopped or another playback starts.
    var isLooped = false
    /// The playback rate, 1/64...64.
    var rate = 1.0
    /// The gain, 0...1; nil to keep the current gain.
    var gain: Double?

    /// Creates a playback of an interval, which is played once.
    init(from start: Double, to end: Double? = nil) { (self.start, self.end) = (start, end) }
}

/// A version in a comparison of two versions.
enum StudioVersion: String, Sendable, CaseIterable {
    case first = "A"
    case second = "B"
}

extension StudioVersion: StudioChoice {}

/// The type of a message from a page.
enum StudioRequestType: String, StudioChoice {
    case open, edit, undo, redo, save, saveAs, new, rename, delete, reload, keep, snapshot, swap
    case play, scrub, hold, stop, measure, abx, gain, mute
}

/// The action of a blind test that the page requests.
enum StudioTestAction: String, StudioChoice {
    case start, play, answer, end
}

/// The version that is played in a blind test: one of the two compared versions, or the hidden one.
enum StudioTestVersion: String, StudioChoice {
    case first = "A"
    case second = "B"
    case hidden = "X"
}

/// The operation of an edit, with its name in JSON Patch (RFC 6902).
enum StudioOperation: String, StudioChoice {
    case add, replace, remove
}

/// A message from a page.
enum StudioRequest: Sendable, Equatable {
    /// Opens a file in the folder, or a named pattern. The unsaved text of the current document is
    /// stored first; if the text cannot be stored, the request fails unless `mayLose` is true.
    case open(String, mayLose: Bool = false)
    /// Changes the document. `revision` is the revision that the page displays.
    case edit(revision: Int, [StudioEdit], isLive: Bool)
    case undo
    case redo
    case save
    /// Saves the document under another name.
    case saveAs(String)
    /// Creates a document with an empty pattern, without writing a file. The unsaved text of the
    /// current document is stored first, as for ``open(_:mayLose:)``.
    case new(String, mayLose: Bool = false)
    case rename(String, to: String)
    case delete(String)
    /// Replaces the unsaved text with the text of the named file, which must be the open file.
    case reload(String)
    /// Keeps the unsaved text instead of the text of the named file, which must be the open file.
    case keep(String)
    case play(StudioPlayback)
    /// Plays the level that the pattern has at the given time, in seconds, until the next request,
    /// but for at most 0.15 s.
    case scrub(Double)
    /// Repeats the part of the pattern around the given time, in seconds.
    case hold(Double)
    case stop
    /// Plays the pattern from its start and records the vibration.
    case measure
    /// Stores the document as one of the two versions that are compared.
    case snapshot(StudioVersion)
    /// Replaces the document with one of the two versions that are compared, and plays this
    /// version.
    case swap(StudioVersion)
    case abxStart
    /// Plays a version of the blind test; nil to play the hidden version.
    case abxPlay(StudioVersion?)
    case abxAnswer(StudioVersion)
    case abxEnd
    /// Sets the gain, 0...1.
    case gain(Double)
    case mute(Bool)

    /// The subject of a request. A successful request clears the previous error on the same
    /// subject.
    enum Subject: String, Sendable, CaseIterable, Codable {
        case file, edit, playing
    }

    /// The subject of this request.
    var subject: Subject {
        switch self {
        case .open, .save, .saveAs, .new, .rename, .delete, .reload, .keep: .file
        case .edit, .undo, .redo, .snapshot, .swap: .edit
        case .play, .scrub, .hold, .stop, .measure, .gain, .mute, .abxStart, .abxPlay, .abxAnswer,
            .abxEnd:
            .playing
        }
    }

    /// Reads a message.
    ///
    /// - Throws: `StudioError` if the text is not a message.
    init(_ text: String) throws(StudioError) {
        let value: JSONValue
        do {
            value = try JSONReader.read(Array(text.utf8)).value
        } catch {
            throw StudioError("a message from the page is not valid JSON: \(error.message)")
        }
        guard case .object(let object) = value.kind else {
            throw StudioError("a message from the page is \(value.kindName), not an object")
        }
        self = try Self.request(StudioFields(object))
    }
}

extension StudioRequest {
    /// Reads the members of a message.
    static func request(
        _ fields: some StudioReading
    ) throws(StudioError) -> StudioRequest {
        let type = try fields.choice("type", of: StudioRequestType.self)
        switch type {
        case .open, .new:
            let file = try fields.text("file")
            let mayLose = try fields.optionalFlag("mayLose")
            return type == .open ? .open(file, mayLose: mayLose) : .new(file, mayLose: mayLose)
        case .edit:
            return .edit(
                revision: try fields.whole("revision"), try fields.edits("edits"),
                isLive: try fields.optionalFlag("live"))
        case .undo: return .undo
        case .redo: return .redo
        case .save: return .save
        case .saveAs: return .saveAs(try fields.text("file"))
        case .rename: return .rename(try fields.text("file"), to: try fields.text("to"))
        case .delete: return .delete(try fields.text("file"))
        case .reload: return .reload(try fields.text("file"))
        case .keep: return .keep(try fields.text("file"))
        case .snapshot: return .snapshot(try fields.choice("slot", of: StudioVersion.self))
        case .swap: return .swap(try fields.choice("slot", of: StudioVersion.self))
        case .play, .scrub, .hold, .stop, .measure, .abx, .gain, .mute:
            return try playing(type, fields)
        }
    }

    private static func playing(
        _ type: StudioRequestType, _ fields: some StudioReading
    ) throws(StudioError) -> StudioRequest {
        switch type {
        case .play: .play(try playback(fields))
        case .scrub: .scrub(try fields.time("at"))
        case .hold: .hold(try fields.time("at"))
        case .measure: .measure
        case .abx: try comparison(fields)
        case .gain: .gain(try fields.number("value", in: 0...1))
        case .mute: .mute(try fields.flag("on"))
        default: .stop
        }
    }

    private static func playback(
        _ fields: some StudioReading
    ) throws(StudioError) -> StudioPlayback {
        var playback = StudioPlayback(from: fields.has("from") ? try fields.time("from") : 0)
        if fields.has("to") { playback.end = try fields.time("to") }
        playback.isLooped = try fields.optionalFlag("loop")
        if fields.has("rate") { playback.rate = try fields.number("rate", in: 1 / 64...64) }
        if fields.has("gain") { playback.gain = try fields.number("gain", in: 0...1) }
        if let end = playback.end, end <= playback.start {
            throw StudioError("play: \"to\" must be after \"from\"")
        }
        return playback
    }

    private static func comparison(
        _ fields: some StudioReading
    ) throws(StudioError) -> StudioRequest {
        switch try fields.choice("action", of: StudioTestAction.self) {
        case .start: .abxStart
        case .play:
            switch try fields.choice("which", of: StudioTestVersion.self) {
            case .first: .abxPlay(.first)
            case .second: .abxPlay(.second)
            case .hidden: .abxPlay(nil)
            }
        case .answer: .abxAnswer(try fields.choice("answer", of: StudioVersion.self))
        case .end: .abxEnd
        }
    }
}
