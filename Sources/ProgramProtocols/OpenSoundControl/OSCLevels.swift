// OSCLevels: the levels that the senders of messages have set.

/// The levels of the parameters of all senders. At each locality, the highest level is played.
///
/// If no message for a level is received before its timeout, the level ends, because its sender may
/// have ended or its last message may have been lost.
public struct OSCLevels: Sendable {
    private struct Key: Hashable {
        let locality: String?
        let key: String
    }

    private struct Held {
        var intensity: Double
        var sharpness: Double
        var end: Double
    }

    /// The level of a locality.
    public struct Level: Sendable, Equatable {
        /// The intensity, 0 to 1.
        public var intensity: Double
        /// The sharpness, 0 to 1.
        public var sharpness: Double

        /// Creates a level.
        public init(intensity: Double, sharpness: Double) {
            self.intensity = intensity
            self.sharpness = sharpness
        }

        /// The level of an actuator at rest.
        public static let rest = Level(intensity: 0, sharpness: 0.5)
    }

    /// The maximum number of simultaneous levels above 0.
    static let countMax = 256
    private var held: [Key: Held] = [:]

    /// Creates an empty set of levels.
    public init() {}

    /// True if no level is above 0.
    public var isEmpty: Bool { held.isEmpty }

    /// Sets or replaces a level.
    ///
    /// - Parameter end: the time at which the level ends, unless another level replaces it earlier.
    /// - Returns: false if the maximum number of levels has been reached, so the level is not set.
    public mutating func hold(
        _ level: Level, of key: String, at locality: String?, until end: Double
    ) -> Bool {
        let key = Key(locality: locality, key: key)
        guard level.intensity > 0 else {
            held[key] = nil
            return true
        }
        guard held[key] != nil || held.count < Self.countMax else { return false }
        held[key] = Held(intensity: level.intensity, sharpness: level.sharpness, end: end)
        return true
    }

    /// Returns the highest level at a locality.
    public func level(at locality: String?) -> Level {
        let here = held.lazy.filter { $0.key.locality == locality }.map(\.value)
        guard let greatest = here.max(by: { $0.intensity < $1.intensity }) else { return .rest }
        return Level(intensity: greatest.intensity, sharpness: greatest.sharpness)
    }

    /// Ends all levels, or all levels at a locality.
    public mutating func release(at locality: String?) {
        held = locality == nil ? [:] : held.filter { $0.key.locality != locality }
    }

    /// Ends the levels whose timeouts have elapsed.
    ///
    /// - Returns: the localities whose level may have changed, and the number of levels that ended.
    public mutating func expire(at now: Double) -> (localities: Set<String?>, count: Int) {
        let over = held.filter { $0.value.end <= now }.map(\.key)
        for key in over { held[key] = nil }
        return (Set(over.map(\.locality)), over.count)
    }
}
