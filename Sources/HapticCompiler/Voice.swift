// What the compiler plays: the contract between a source of haptics and the mixer.

public import AHAP

/// A straight line through time: a level or a sharpness between two instants.
public struct Line: Sendable, Hashable {
    /// Where the line starts, in microseconds.
    public var start: Microseconds
    /// Where it ends; `Microseconds.max` only if it is constant.
    public var end: Microseconds
    /// The value at ``start``; 1 is the most that an actuator can do.
    public var startValue: Double
    /// The value at ``end``.
    public var endValue: Double

    /// Makes a line.
    public init(
        from start: Microseconds, to end: Microseconds, _ startValue: Double, _ endValue: Double
    ) {
        self.start = start
        self.end = end
        self.startValue = startValue
        self.endValue = endValue
    }

    /// Exactly nothing, always.
    static let silence = Line(from: 0, to: .max, 0, 0)

    /// Whether the value does not change.
    public var isConstant: Bool { startValue == endValue }

    /// The value at a time; beyond the ends the line goes on straight.
    public func value(at time: Microseconds) -> Double {
        isConstant ? startValue : startValue + slope * Double(time - start)
    }

    /// The change of value a microsecond.
    var slope: Double { isConstant ? 0 : (endValue - startValue) / Double(end - start) }
}

/// A tap of a voice, at its exact time and strength.
public struct VoiceTap: Sendable, Hashable {
    /// When, in microseconds from the start of the stream.
    public var time: Microseconds
    /// The strength, 0...1: ``base`` under its control.
    public var intensity: Double
    /// The event's own strength before any control, 0...1; at least ``intensity``.
    public var base: Double
    /// The sharpness, 0...1.
    public var sharpness: Double
    /// Which event of the voice's pattern it comes from.
    public var source: Int
    /// The voice that plays it, counted by the compiler.
    var voice = 0

    /// Makes a tap.
    public init(
        time: Microseconds, intensity: Double, base: Double, sharpness: Double, source: Int
    ) {
        self.time = time
        self.intensity = intensity
        self.base = base
        self.sharpness = sharpness
        self.source = source
    }

    func played(by voice: Int) -> VoiceTap {
        var tap = self
        tap.voice = voice
        return tap
    }

    /// Order of time; at the same instant the later voice pre-empts. Within a voice the file's
    /// order stays, since sorting is stable.
    static func precedes(_ left: VoiceTap, _ right: VoiceTap) -> Bool {
        (left.time, left.voice) < (right.time, right.voice)
    }
}

/// A stretch of one layer on which level and sharpness each follow one straight line.
///
/// The lines may reach beyond the stretch: they tell where a straight course truly begins and
/// ends, however time is cut into windows.
public struct LayerPiece: Sendable, Hashable {
    /// The first instant, in microseconds from the start of the stream.
    public var start: Microseconds
    /// The instant after the last.
    public var end: Microseconds
    /// The level.
    public var level: Line
    /// The sharpness; within the stretch it is limited to 0...1.
    public var sharpness: Line
    /// Which event of the voice's pattern it comes from.
    public var source: Int

    /// Makes a piece.
    public init(
        from start: Microseconds, to end: Microseconds, level: Line, sharpness: Line, source: Int
    ) {
        self.start = start
        self.end = end
        self.level = level
        self.sharpness = sharpness
        self.source = source
    }
}

/// What a voice plays within one window.
public struct VoiceSpan: Sendable, Equatable {
    /// The taps of the window in order of time.
    public var taps: [VoiceTap]
    /// What is felt within the window; the pieces may reach beyond it. Pieces of one event follow
    /// each other without overlap; the order of events does not matter.
    public var pieces: [LayerPiece]

    /// Makes a span.
    public init(taps: [VoiceTap] = [], pieces: [LayerPiece] = []) {
        self.taps = taps
        self.pieces = pieces
    }
}

/// A source of haptics, read window by window.
///
/// A voice starts at time 0 of the stream. What it returns for a time must not depend on how time
/// was cut into windows.
public protocol Voice: Sendable {
    /// The last instant at which the voice has something to play, in microseconds from the start of
    /// the stream; nil while it has no end.
    var end: Microseconds? { get }

    /// Plays on from where the last call ended (0 at first).
    ///
    /// - Parameter time: the end of the window in microseconds; the window does not contain it.
    /// - Returns: the taps of the window, and all pieces that reach into it.
    mutating func render(until time: Microseconds) -> VoiceSpan
}
