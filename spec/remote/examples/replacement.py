#!/usr/bin/env python3
"""The same balancer with a common mistake: the two servers may be the same."""

from p2c import Balancer, serve


class WithReplacement(Balancer):
    def sample(self, eligible):
        return [self.random.choice(eligible), self.random.choice(eligible)]


if __name__ == "__main__":
    serve(WithReplacement)
