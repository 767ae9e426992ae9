"""The claims by name, in the order they are defined."""

CLAIMS = {}


def claim(*checks):
    """Marks a function of one Lab as a claim that the named checks rest on."""

    def register(function):
        if function.__name__ in CLAIMS:
            raise ValueError(f"two claims are called {function.__name__}")
        CLAIMS[function.__name__] = (function, checks)
        return function

    return register
