// OSCInterpreter: converts messages to effects.

/// Converts messages to effects. Messages may use this project's own addresses, `/haptic/…`, or
/// addresses for which there are rules.
public struct OSCInterpreter: Sendable {
    private struct State: Sendable {
        /// True if the value has returned to the lower limit since it last triggered a tap or a
        /// pattern.
        var isArmed = true
        var value: Double?
        var time = 0.0
    }

    /// If no new message arrives for this time, in seconds, a value is considered constant.
    private static let speedTime = 0.2
    /// The maximum number of addresses whose last value is stored.
    static let statesMax = 512
    private struct Own: Sendable {
        let address: String
        let verb: Verb
        let locality: String?
    }

    /// This project's own addresses, in the order in which they are compared with address patterns.
    private let own: [Own]
    private let ownByAddress: [String: Own]
    private let rules: [OSCRule]
    private var states: [String: State] = [:]
    private var transport = OSCTransport()

    /// - Parameters:
    ///   - rules: the rules, in the order in which they are tried.
    ///   - localities: the localities that may occur in addresses.
    public init(rules: [OSCRule], localities: [String]) {
        self.rules = rules
        own = Verb.allCases.flatMap { verb in
            ([nil] + localities).map { locality in
                Own(
                    address: (["/haptic"] + (locality.map { [$0] } ?? []) + [verb.rawValue])
                        .joined(separator: "/"), verb: verb, locality: locality)
            }
        }
        ownByAddress = Dictionary(own.map { ($0.address, $0) }) { first, _ in first }
    }

    /// The outcome of a message.
    public enum Outcome: Sendable, Equatable {
        case effects([OSCEffect])
        /// The message matches no address and no rule.
        case unknown
        /// The arguments do not match the address or rule.
        case unsuitable
    }

    /// Returns the outcome of a message. Stores the message's value, because the outcomes of later
    /// messages depend on it.
    ///
    /// - Parameter time: the time at which the message takes effect, in seconds.
    public mutating func outcome(of message: OSCMessage, at time: Double) -> Outcome {
        let pattern = OSCAddressPattern(message.address)
        let isLiteral = pattern?.isLiteral ?? true
        let own =
            isLiteral
            ? ownByAddress[message.address].map { [$0] } ?? []
            : own.filter { pattern!.matches($0.address) }
        if !own.isEmpty { return Self.outcome(of: own, message.arguments) }
        let matching = rules.lazy.filter { rule in
            if isLiteral { return rule.address.matches(message.address) }
            return rule.address.isLiteral && pattern!.matches(rule.address.description)
        }
        guard let first = matching.first else { return .unknown }
        let text = message.arguments.first?.text
        guard let rule = first.text == nil ? first : matching.first(where: { $0.accepts(text) })
        else { return .effects([]) }
        return outcome(of: message, by: rule, at: time)
    }

    // MARK: Own addresses

    private enum Verb: String, CaseIterable {
        case tap, level, play, stop, gain
    }

    private static func outcome(of own: [Own], _ arguments: [OSCArgument]) -> Outcome {
        let outcomes = own.map { outcome(of: $0.verb, arguments, locality: $0.locality) }
        let effects = outcomes.flatMap { outcome in
            if case .effects(let effects) = outcome { effects } else { [] as [OSCEffect] }
        }
        return effects.isEmpty ? .unsuitable : .effects(effects)
    }

    private static func outcome(
        of verb: Verb, _ arguments: [OSCArgument], locality: String?
    ) -> Outcome {
        let numbers = arguments.map(\.number)
        let first = numbers.first ?? nil
        let sharpness = numbers.count > 1 ? numbers[1].map(unit) : 0.5
        let kind: OSCEffect.Kind? =
            switch verb {
            case .tap:
                (arguments.isEmpty ? 1 : first).flatMap { intensity in
                    sharpness.map { .tap(intensity: unit(intensity), sharpness: $0) }
                }
            case .level:
                first.flatMap { level in
                    sharpness.map {
                        .level(
                            key: "/haptic/level", intensity: unit(level), sharpness: $0, hold: nil)
                    }
                }
            case .play: arguments.first?.text.map { .play($0) }
            case .gain: first.map { .gain(unit($0)) }
            case .stop: .stop
            }
        return kind.map { .effects([OSCEffect($0, locality: locality)]) } ?? .unsuitable
    }

    private static func unit(_ value: Double) -> Double { min(1, max(0, value)) }

    // MARK: Rules

    private mutating func outcome(
        of message: OSCMessage, by rule: OSCRule, at time: Double
    ) -> Outcome {
        let effect: OSCEffect?
        switch rule.mode {
        case .stop:
            states.removeAll()
            transport.reset()
            effect = OSCEffect(.stop, locality: rule.locality)
        case .start:
            transport.reset()
            effect = nil
        case .envelopes:
            guard let clip = message.arguments.first?.text.flatMap(OSCClip.init) else {
                return .unsuitable
            }
            effect = transport.accept(clip, locality: rule.locality, at: time)
        default:
            let argument = message.arguments.isEmpty ? 1 : message.arguments[0].number
            guard let value = argument else { return .unsuitable }
            if rule.mode == .position {
                effect = transport.move(to: value, at: time)
            } else {
                effect = kind(of: value, from: message.address, by: rule, at: time)
                    .map { OSCEffect($0, locality: rule.locality) }
            }
        }
        return .effects(effect.map { [$0] } ?? [])
    }

    private mutating func kind(
        of value: Double, from address: String, by rule: OSCRule, at time: Double
    ) -> OSCEffect.Kind? {
        let level = rule.level(of: value)
        switch rule.mode {
        case .level:
            return .level(
                key: address, intensity: level, sharpness: rule.sharpness, hold: nil)
        case .velocity:
            let speed = speed(of: value, from: address, at: time)
            return .level(
                key: address, intensity: rule.level(of: speed), sharpness: rule.sharpness,
                hold: Self.speedTime)
        case .tapOnRise:
            return rises(value, from: address, by: rule)
                ? .tap(intensity: 1, sharpness: rule.sharpness) : nil
        case .pattern:
            return rises(value, from: address, by: rule) ? rule.pattern.map { .play($0) } : nil
        case .sharpness: return .sharpness(level)
        case .gain: return .gain(level)
        case .stop, .start, .position, .envelopes: return nil
        }
    }

    private mutating func rises(_ value: Double, from address: String, by rule: OSCRule) -> Bool {
        change(address) { state in
            let fraction = rule.fraction(of: value)
            let isRise = fraction == 1 && state.isArmed
            if fraction == 1 { state.isArmed = false }
            if fraction == 0 { state.isArmed = true }
            return isRise
        } ?? false
    }

    /// Returns the absolute rate of change of a value, per second, since the last message to the
    /// same address; 0 if there was none.
    private mutating func speed(of value: Double, from address: String, at time: Double) -> Double {
        change(address) { state in
            defer { (state.value, state.time) = (value, time) }
            guard let last = state.value, time > state.time else { return 0 }
            // If no message has arrived for a long time, the change is assumed to have taken at
            // most 0.1 s.
            return abs(value - last) / min(time - state.time, 0.1)
        } ?? 0
    }

    /// Changes the stored state of an address. Returns nil if the maximum number of addresses has
    /// been reached.
    private mutating func change<Result>(
        _ address: String, _ body: (inout State) -> Result
    ) -> Result? {
        guard states[address] != nil || states.count < Self.statesMax else { return nil }
        return body(&states[address, default: State()])
    }
}
