// RenderingTarget: the profile and the actuators for which a file is rendered.

import ArgumentParser
import BridgeLink
import DRV2605
import HapticBridge
import HapticCompiler
import ToolSupport

/// The profile for which a file is compiled, and the modeled actuators that play it.
struct RenderingTarget {
    /// An actuator, and the profile for which its stream is compiled.
    struct Model {
        var configuration: ActuatorConfiguration
        var profile: DeviceProfile
    }

    /// The name of the profile in messages.
    var name: String
    var profile: DeviceProfile
    var models: [Model]

    /// The name that selects the profile of the board's actuator.
    static let board = "board"

    /// Creates the target that the options select. If a board is selected, the target is the
    /// actuator of the board, with the named profile or, without a name, with its own profile. If
    /// no board is selected, the target is the named profile or, without a name, the reference
    /// profile with a coin actuator of each kind. Throws `ToolError`.
    init(_ compiling: CompilingOptions, _ board: BoardOptions) throws {
        let other = try compiling.profile.flatMap {
            $0 == Self.board ? nil : try CompilingOptions.deviceProfile(named: $0)
        }
        if board.isChosen || compiling.profile == Self.board {
            self = try board.withBoard(.shared) { try Self(of: $0, profile: other) }
        } else if let other, let name = compiling.profile {
            self.init(name, other)
        } else {
            self.init()
        }
    }

    /// Creates the default target: the reference profile, and a coin actuator of each kind with its
    /// own stream.
    private init() {
        name = DeviceProfile.reference.name
        profile = .reference
        models = Self.coins.map { Model(configuration: $0, profile: DeviceProfile(of: $0)) }
    }

    private static let coins = [ActuatorConfiguration.coinLRA, .coinERM]

    /// Creates the target for a profile. The modeled actuators are an actuator with the profile's
    /// band or, without a band, the coin actuators of the profile's kind.
    private init(_ name: String, _ profile: DeviceProfile) {
        self.name = name
        self.profile = profile
        let coins = Self.coins.filter { coin in
            profile.plant.map { ($0.kind == .erm) == (coin.kind == .erm) } ?? true
        }
        let modeled = profile.band.map { [ActuatorConfiguration(of: $0)] } ?? coins
        models = modeled.map { Model(configuration: $0, profile: profile) }
    }

    /// Creates the target for the first configured actuator of a board, with the given profile or
    /// the actuator's own profile.
    private init(of board: HapticBoard, profile other: DeviceProfile?) throws {
        guard let actuator = try board.actuators().first(where: { $0.kind != .none }) else {
            throw ToolError(unconfigured: 0, at: board.path)
        }
        let configuration = try board.link.configuration(ofActuator: actuator.actuator)
        profile = other ?? DeviceProfile(of: configuration)
        name = "\(profile.name) at \(board.path)"
        models = [Model(configuration: configuration, profile: profile)]
    }
}

extension ActuatorConfiguration {
    /// Creates the configuration of an actuator with a band, with the voltages of the standard
    /// actuator.
    fileprivate init(of band: FrequencyBand) {
        self.init(
            band: band.range, law: ActuatorBand.Law(band.law),
            rated: Self.wideBand.rated, overdrive: Self.wideBand.overdrive)
    }
}
