// NamedActuator: commercially available actuators, with the figures of their data sheets.

import BridgeLink
import JSONText

/// An actuator known by its manufacturer's name. The data is in `actuators.json` and comes from the
/// manufacturers' data sheets.
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

    /// All known actuators, in the order of the data.
    public static let all: [NamedActuator] = {
        do {
            return try read(PackageResources.actuators_json)
        } catch {
            preconditionFailure("actuators.json: \(error)")
        }
    }()

    /// Returns the actuator with a given name, regardless of case; nil if there is none.
    public static func named(_ name: String) -> NamedActuator? {
        all.first { $0.name.lowercased() == name.lowercased() }
    }

    /// An error in the data, with its location if that is known.
    struct DataError: Error {
        var location: SourceLocation?
    }

    static func read(_ bytes: [UInt8]) throws -> [NamedActuator] {
        let root = try JSONReader.read(bytes, mode: .strict).value
        guard case .array(let entries) = root.kind else { throw DataError(location: root.location) }
        return try entries.map(NamedActuator.init)
    }

    private init(_ value: JSONValue) throws {
        guard case .object(let object) = value.kind else {
            throw DataError(location: value.location)
        }
        func member(_ key: String) -> JSONValue? {
            object.members.first { $0.key == key }?.value
        }
        func text(_ key: String) throws -> String {
            guard case .string(let text)? = member(key)?.kind else {
                throw DataError(location: value.location)
            }
            return text
        }
        func number(_ key: String) throws -> Double {
            guard case .number(let text)? = member(key)?.kind, let number = Double(text) else {
                throw DataError(location: value.location)
            }
            return number
        }
        name = try text("name")
        description = try text("description")
        kind = try text("kind") == "lra" ? .lra : .erm
        resonance = kind == .lra ? try number("resonance") : 0
        rated = try number("rated")
        overdrive = try number("overdrive")
    }
}
