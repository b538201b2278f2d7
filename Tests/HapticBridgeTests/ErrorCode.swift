// The error code with which a call of the Core Haptics API failed.

import HapticBridge

/// Returns the code of the error that `body` throws, or nil if `body` throws no error or an error
/// of another type.
func code(of body: () throws -> Void) -> CHHapticError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? CHHapticError)?.code
    }
}
