// NamedActuator: commercially available actuators, with their data and the sources of the data.

import BridgeLink
import DRV2605
import EmbeddedFiles
import JSONText

/// A commercially available actuator. The data is in `actuators.json`, which states the source of
/// each figure: the manufacturer's data sheet, another publication, or an estimate.
public struct NamedActuator: Hashable, Sendable {
    /// The manufacturer's name for the actuator.
    public var name: String
    public var description: String
    /// The kind of actuator: `.lra` or `.erm`.
    public var kind: ActuatorKind
    /// The resonant frequency in hertz; 0 for an ERM.
    public var resonance: Double
    /// The rated voltage in volts: rms for an LRA, average for an ERM.
    public var rated: Double
    /// The overdrive voltage in volts, peak.
    public var overdrive: Double
    /// The time constant of the amplitude of an LRA, or of the speed of an ERM, in milliseconds.
    public var timeConstant: Double
    /// The peak acceleration at the rated voltage, in g.
    public var acceleration: Double
    /// The voltage in volts at which a resting ERM starts to turn; 0 for an LRA.
    public var startVoltage: Double
    /// The voltage in volts that the friction of a running ERM consumes; 0 for an LRA.
    public var runningVoltage: Double
    /// The source of each figure that applies to this kind of actuator. If the figure is an
    /// estimate, the text begins with "estimate".
    public var sources: [Figure: String]

    /// A figure of an actuator. The raw value is the key of the figure in the data.
    public enum Figure: String, Hashable, Sendable, CaseIterable {
        case resonance, rated, overdrive, timeConstant, acceleration, start, running
    }

    /// Returns whether a figure is an estimate.
    public func isEstimate(_ figure: Figure) -> Bool {
        sources[figure]?.hasPrefix("estimate") ?? false
    }

    /// All known actuators, in the order of the data file.
    public static let all: [NamedActuator] = {
        do throws(DataError) {
            return try read(EmbeddedFile.bytes("actuators.json"))
        } catch {
            preconditionFailure("actuators.json: \(error)")
        }
    }()

    /// Returns the actuator with a given name, regardless of case; nil if there is none.
    public static func named(_ name: String) -> NamedActuator? {
        all.first { $0.name.lowercased() == name.lowercased() }
    }
}

extension NamedActuator {
    /// The motion data of the actuator.
    package var plant: ActuatorPlant {
        ActuatorPlant(
            timeConstant: timeConstant, acceleration: acceleration, startVoltage: startVoltage,
            runningVoltage: runningVoltage)
    }

    /// The name, shortened to the length that a board can store.
    package var storedName: String { String(name.prefix(12)) }
}

// MARK: Reading

extension NamedActuator {
    /// An error in the data, with its location if the location is known.
    package struct DataError: Error, CustomStringConvertible {
        var location: SourceLocation?
        var message: String

        package var description: String { "\(location.map { "\($0): " } ?? "")\(message)" }
    }

    package static func read(_ bytes: [UInt8]) throws(DataError) -> [NamedActuator] {
        let root = try json(of: bytes)
        guard case .array(let entries) = root.kind else {
            throw DataError(location: root.location, message: "the data is not an array")
        }
        return try entries.map { entry throws(DataError) in try NamedActuator(Entry(entry)) }
    }

    private static func json(of bytes: [UInt8]) throws(DataError) -> JSONValue {
        do {
            return try JSONReader.read(bytes, mode: .strict).value
        } catch {
            throw DataError(location: error.location, message: error.message)
        }
    }

    private init(_ entry: Entry) throws(DataError) {
        name = try entry.text("name")
        description = try entry.text("description")
        switch try entry.text("kind") {
        case "lra": kind = .lra
        case "erm": kind = .erm
        case let other: throw entry.error("the kind \(other) is unknown")
        }
        let figures = try entry.figures(of: kind)
        resonance = figures[.resonance] ?? 0
        rated = figures[.rated] ?? 0
        overdrive = figures[.overdrive] ?? 0
        timeConstant = figures[.timeConstant] ?? 0
        acceleration = figures[.acceleration] ?? 0
        startVoltage = figures[.start] ?? 0
        runningVoltage = figures[.running] ?? 0
        sources = try entry.sources(of: Set(figures.keys))
    }
}

extension NamedActuator.Figure {
    /// Returns true if the figure applies to actuators of a kind.
    fileprivate func belongs(to kind: ActuatorKind) -> Bool {
        switch self {
        case .resonance: kind == .lra
        case .start, .running: kind == .erm
        case .rated, .overdrive, .timeConstant, .acceleration: true
        }
    }
}

/// The object of one actuator in the data.
private struct Entry {
    typealias Figure = NamedActuator.Figure

    private let location: SourceLocation?
    private let object: JSONObject

    init(_ value: JSONValue) throws(NamedActuator.DataError) {
        location = value.location
        guard case .object(let object) = value.kind else {
            throw NamedActuator.DataError(
                location: location, message: "an actuator must be an object")
        }
        self.object = object
    }

    func error(_ message: String) -> NamedActuator.DataError {
        NamedActuator.DataError(location: location, message: message)
    }

    func text(_ key: String) throws(NamedActuator.DataError) -> String {
        guard case .string(let text)? = object[key]?.kind else {
            throw error("\(key) is not a string")
        }
        return text
    }

    /// Returns all figures that apply to an actuator of the given kind. Each figure must be above
    /// 0. Figures that apply only to the other kind of actuator are rejected.
    func figures(of kind: ActuatorKind) throws(NamedActuator.DataError) -> [Figure: Double] {
        var figures: [Figure: Double] = [:]
        for figure in Figure.allCases {
            let value = object[figure.rawValue]
            guard figure.belongs(to: kind) else {
                guard value == nil else { throw error("\(kind) has no \(figure.rawValue)") }
                continue
            }
            guard case .number(let text)? = value?.kind, let number = Double(text), number > 0
            else {
                throw error("\(figure.rawValue) is not a number above 0")
            }
            figures[figure] = number
        }
        return figures
    }

    /// Returns the sources of the given figures. A missing or additional source is an error.
    func sources(of figures: Set<Figure>) throws(NamedActuator.DataError) -> [Figure: String] {
        guard case .object(let texts)? = object["sources"]?.kind else {
            throw error("sources is not an object")
        }
        var sources: [Figure: String] = [:]
        for member in texts.members {
            guard let figure = Figure(rawValue: member.key), figures.contains(figure) else {
                throw error("the source \(member.key) does not belong to any figure")
            }
            guard case .string(let text) = member.value.kind, !text.isEmpty else {
                throw error("the source of \(member.key) is not a string")
            }
            sources[figure] = text
        }
        guard let missing = figures.subtracting(sources.keys).map({ $0.rawValue }).min() else {
            return sources
        }
        throw error("\(missing) has no source")
    }
}
